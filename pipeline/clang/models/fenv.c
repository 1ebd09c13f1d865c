/*
 * <fenv.h>: the rounding mode. What raises and clears exceptions has no model, so what depends on it is unknown.
 */

/* One of the numbers of package language. */
static int __unitproof_rounding = 0;
void unitproof_set_rounding(int *mode, int to);


/* FE_TONEAREST, FE_TOWARDZERO, FE_UPWARD, FE_DOWNWARD, and the size of fenv_t. */
#if defined __x86_64__ || defined __i386__
static const int rounding_modes[4] = {0, 0xc00, 0x400 << 1, 0x400};
#define FENV_SIZE (sizeof(void *) == 8 ? 32 : 28)
#elif defined __aarch64__ || defined __arm__
static const int rounding_modes[4] = {0, 0xc00000, 0x400000, 0x800000};
#define FENV_SIZE (sizeof(void *) == 8 ? 8 : 4)
#elif defined __powerpc__ || defined __s390x__
static const int rounding_modes[4] = {0, 1, 2, 3};
#define FENV_SIZE 8
#elif defined __riscv
static const int rounding_modes[4] = {0, 1, 3, 2};
#define FENV_SIZE 4
#else /* MIPS */
static const int rounding_modes[4] = {0, 1, 2, 3};
#define FENV_SIZE 4
#endif

#ifdef __powerpc__
const double __fe_dfl_env = 0; /* FE_DFL_ENV of glibc */
#endif

int fegetround(void) { return rounding_modes[__unitproof_rounding & 3]; }

int fesetround(int mode) {
  for (int i = 0; i < 4; i++)
    if (mode == rounding_modes[i]) {
      unitproof_set_rounding(&__unitproof_rounding, i);
      return 0;
    }
  return 1;
}

/* An environment as memory holds it: the mode in its first byte, which is what no library does, and any others. */
int fegetenv(void *env) {
  memhavoc(env, FENV_SIZE);
  *(unsigned char *)env = (unsigned char)__unitproof_rounding;
  return 0;
}

int feholdexcept(void *env) { return fegetenv(env); }

/* FE_DFL_ENV is the address -1, or that of a constant with mode 0; for Windows it is the address 0, and -1 to -3 are
   environments with other precisions. */
#ifdef _WIN32
#define default_environment(env) ((unsigned long long)(env) + 3 <= 3)
#else
#define default_environment(env) ((env) == (const void *)-1)
#endif

int fesetenv(const void *env) {
  int mode = default_environment(env) ? 0 : *(const unsigned char *)env & 3;
  unitproof_set_rounding(&__unitproof_rounding, mode);
  return 0;
}

int feupdateenv(const void *env) { return fesetenv(env); }
