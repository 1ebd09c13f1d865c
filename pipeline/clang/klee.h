/*
 * KLEE's primitives, for proofs that were written for KLEE (<klee/klee.h>). klee_make_symbolic and klee_assume are
 * known by their names; the others are made of them, or do nothing here. What has no meaning without KLEE's memory
 * (klee_is_symbolic, klee_get_value_i32, ...) is only declared, so that what follows such a call is unknown.
 */
#ifndef KLEE_H
#define KLEE_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

void klee_make_symbolic(void *address, size_t size, const char *name);
void klee_assume(uintptr_t condition);
void __assert_fail(const char *expression, const char *file, unsigned line, const char *function)
    __attribute__((noreturn));
void abort(void) __attribute__((noreturn));
void exit(int status) __attribute__((noreturn));

#define klee_assert(condition) \
  ((condition) ? (void)0 : __assert_fail(#condition, __FILE__, __LINE__, __extension__ __PRETTY_FUNCTION__))

static inline int klee_range(int begin, int end, const char *name) {
  int x;
  klee_make_symbolic(&x, sizeof x, name);
  klee_assume(begin <= x && x < end);
  return x;
}
static inline int klee_int(const char *name) {
  int x;
  klee_make_symbolic(&x, sizeof x, name);
  return x;
}
static inline uintptr_t klee_choose(uintptr_t n) {
  uintptr_t x;
  klee_make_symbolic(&x, sizeof x, "klee_choose");
  klee_assume(x < n);
  return x;
}
__attribute__((noreturn)) static inline void klee_silent_exit(int status) { exit(status); }
__attribute__((noreturn)) static inline void klee_abort(void) { abort(); }
#define klee_report_error(file, line, message, suffix) \
  __assert_fail(message, file, (unsigned)(line), __extension__ __PRETTY_FUNCTION__)

/* Messages, and advice for KLEE's search. */
static inline void klee_warning(const char *message) { (void)message; }
static inline void klee_warning_once(const char *message) { (void)message; }
static inline void klee_prefer_cex(void *object, uintptr_t condition) { (void)object, (void)condition; }
static inline void klee_posix_prefer_cex(void *object, uintptr_t condition) { (void)object, (void)condition; }
static inline void klee_mark_global(void *object) { (void)object; }
static inline void klee_set_forking(unsigned enable) { (void)enable; }
static inline void klee_stack_trace(void) {}
static inline void klee_open_merge(void) {}
static inline void klee_close_merge(void) {}

unsigned klee_is_symbolic(uintptr_t n);
unsigned klee_is_replay(void);
size_t klee_get_obj_size(void *p);
int32_t klee_get_value_i32(int32_t x);
int64_t klee_get_value_i64(int64_t x);
void klee_check_memory_access(const void *address, size_t size);

#ifdef __cplusplus
}
#endif
#endif
