/*
 * What CBMC knows without a declaration, for files that use it so: unitproof includes this header by itself
 * where a file calls one of these names undeclared. See the documentation of CBMC for their meaning.
 */
#ifndef UNITPROOF_CPROVER_H
#define UNITPROOF_CPROVER_H

typedef _Bool __CPROVER_bool;
typedef __SIZE_TYPE__ __CPROVER_size_t;
typedef __PTRDIFF_TYPE__ __CPROVER_ssize_t;

void __CPROVER_assume(_Bool condition);
void __CPROVER_assert(_Bool condition, const char *description);
void __CPROVER_precondition(_Bool condition, const char *description);
void __CPROVER_postcondition(_Bool condition, const char *description);

/* With one argument, the size is that of what the pointer points to. */
_Bool __CPROVER_r_ok(const void *p, __SIZE_TYPE__ n);
_Bool __CPROVER_w_ok(const void *p, __SIZE_TYPE__ n);
_Bool __CPROVER_rw_ok(const void *p, __SIZE_TYPE__ n);
#define UNITPROOF_OK_2(f, p, n) f(p, n)
#define UNITPROOF_OK_1(f, p) f(p, sizeof *(p))
#define UNITPROOF_OK(_1, _2, n, ...) UNITPROOF_OK_##n
#define __CPROVER_r_ok(...) UNITPROOF_OK(__VA_ARGS__, 2, 1)(__CPROVER_r_ok, __VA_ARGS__)
#define __CPROVER_w_ok(...) UNITPROOF_OK(__VA_ARGS__, 2, 1)(__CPROVER_w_ok, __VA_ARGS__)
#define __CPROVER_rw_ok(...) UNITPROOF_OK(__VA_ARGS__, 2, 1)(__CPROVER_rw_ok, __VA_ARGS__)

__SIZE_TYPE__ __CPROVER_OBJECT_SIZE(const void *p);
__SIZE_TYPE__ __CPROVER_POINTER_OFFSET(const void *p);
__SIZE_TYPE__ __CPROVER_POINTER_OBJECT(const void *p);
#define __CPROVER_same_object(p, q) (__CPROVER_POINTER_OBJECT(p) == __CPROVER_POINTER_OBJECT(q))
void __CPROVER_havoc_object(void *p);
void __CPROVER_havoc_slice(void *p, __SIZE_TYPE__ n);

/* Whether an operation of the operands' common type overflows. */
#define UNITPROOF_OVERFLOWS(operation, sample, a, b) \
  (__extension__({                                           \
    __typeof__(sample) unitproof_result;                     \
    __builtin_##operation##_overflow((a), (b), &unitproof_result); \
  }))
#define __CPROVER_overflow_plus(a, b) UNITPROOF_OVERFLOWS(add, (a) + (b), a, b)
#define __CPROVER_overflow_minus(a, b) UNITPROOF_OVERFLOWS(sub, (a) - (b), a, b)
#define __CPROVER_overflow_mult(a, b) UNITPROOF_OVERFLOWS(mul, (a) * (b), a, b)

#endif
