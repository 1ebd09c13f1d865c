/* assert.h: declarations for targets without a C library. It may be included again with another NDEBUG. */
#undef assert
#ifdef NDEBUG
#define assert(c) ((void)0)
#else
_Noreturn void __assert_func(const char *file, int line, const char *function, const char *text);
#define assert(c) ((c) ? (void)0 : __assert_func(__FILE__, __LINE__, __func__, #c))
#endif
#if !defined __cplusplus && (!defined __STDC_VERSION__ || __STDC_VERSION__ < 202311L)
#undef static_assert
#define static_assert _Static_assert
#endif
