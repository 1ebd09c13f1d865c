/*
 * unitproof.h: the words a unit proof is written in.
 *
 * A unit proof is a C function that builds an arbitrary state, assumes what the code under proof may
 * assume, calls it, and asserts what must hold afterwards:
 *
 *     #include <unitproof.h>
 *     #include "clamp.h"
 *
 *     void proof_clamp(void) {
 *       int lo = nd_int(), hi = nd_int(), x = nd_int();     // any three values at all,
 *       assume(lo <= hi);                                   // but only executions where this holds
 *       int r = clamp(x, lo, hi);
 *       sassert(lo <= r && r <= hi);                        // has to hold in every one of them
 *     }
 *
 * The functions below have no body: the checker knows them by name. When a counterexample is
 * replayed, they are linked to functions that hand out its values.
 */
#ifndef UNITPROOF_H
#define UNITPROOF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h> /* ssize_t */

#ifdef __cplusplus
extern "C" {
#endif

/* ---- assumptions and assertions ------------------------------------------------------------- */

/* Only executions where c holds go on. What is assumed helps only what comes after it. Assuming
 * something impossible makes what follows vacuous, which is reported. */
void assume(bool c);

/* c must hold in every execution that gets here. <assert.h>'s assert() is an assertion as well,
 * unless NDEBUG is defined. */
void sassert(bool c);

/* ---- arbitrary values ------------------------------------------------------------------------ */

/* nd_T() is an arbitrary value of type T, a new one at each call. */
bool nd_bool(void);
char nd_char(void);
int nd_int(void);
unsigned int nd_uint(void);
short nd_short(void);
long nd_long(void);

int8_t nd_int8_t(void);
uint8_t nd_uint8_t(void);
int16_t nd_int16_t(void);
uint16_t nd_uint16_t(void);
int32_t nd_int32_t(void);
uint32_t nd_uint32_t(void);
int64_t nd_int64_t(void);
uint64_t nd_uint64_t(void);

size_t nd_size_t(void);
ssize_t nd_ssize_t(void);
intptr_t nd_intptr_t(void);
uintptr_t nd_uintptr_t(void);

/* Infinities and NaN are values, too. */
float nd_float(void);
double nd_double(void);

/* An arbitrary address in no object, perhaps NULL, perhaps equal to another such one. It may be
 * stored and compared, but not dereferenced. */
void *nd_voidp(void);

/* The n bytes at p, which must be writable, get arbitrary content. NULL is fine and does nothing,
 * so that it can follow an allocation; it does not count as a write for sea_is_modified.
 *
 *     struct queue q;
 *     memhavoc(&q, sizeof q);
 */
void memhavoc(void *p, size_t n);

/* ---- questions about memory ------------------------------------------------------------------ */

/* Whether the n bytes at p lie inside the live object that p was derived from. n = 0 holds for NULL
 * and anywhere from the start of a live object to one past its end; a negative n never holds. */
bool sea_is_dereferenceable(const void *p, intptr_t n);

/* Whether anything was written to the object at p since the last sea_reset_modified of it, while
 * tracking was on: the way to state "the callee does not write here". */
bool sea_is_modified(char *p);
void sea_reset_modified(char *p);
void sea_tracking_on(void);
void sea_tracking_off(void);

#ifdef __cplusplus
}
#endif

/* ---- contracts ------------------------------------------------------------------------------- */

/* Clauses of functions and loops are for checkers: an ordinary compiler does not see them.
 *
 *     for (size_t i = 0; i < n; i++)
 *     unitproof_loop_invariant(i <= n)
 *
 * The names are CBMC's with unitproof_ for __CPROVER_, which may be written as well. What conditions are written with
 * (unitproof_old, unitproof_is_fresh and so on) stands in clauses only.
 */
#if defined __UNITPROOF__ || defined __CPROVER__
#define unitproof_requires(...) __CPROVER_requires(__VA_ARGS__)
#define unitproof_ensures(...) __CPROVER_ensures(__VA_ARGS__)
#define unitproof_assigns(...) __CPROVER_assigns(__VA_ARGS__)
#define unitproof_frees(...) __CPROVER_frees(__VA_ARGS__)
#define unitproof_loop_invariant(...) __CPROVER_loop_invariant(__VA_ARGS__)
#define unitproof_decreases(...) __CPROVER_decreases(__VA_ARGS__)
#define unitproof_old __CPROVER_old
#define unitproof_return_value __CPROVER_return_value
#define unitproof_loop_entry __CPROVER_loop_entry
#define unitproof_is_fresh __CPROVER_is_fresh
#define unitproof_pointer_in_range __CPROVER_pointer_in_range_dfcc
#define unitproof_pointer_equals __CPROVER_pointer_equals
#define unitproof_is_freeable __CPROVER_is_freeable
#define unitproof_was_freed __CPROVER_was_freed
#define unitproof_obeys_contract __CPROVER_obeys_contract
#define unitproof_object_whole __CPROVER_object_whole
#define unitproof_object_upto __CPROVER_object_upto
#define unitproof_object_from __CPROVER_object_from
#define unitproof_typed_target __CPROVER_typed_target
#define unitproof_forall __CPROVER_forall
#define unitproof_exists __CPROVER_exists
#elif !defined __cplusplus || __cplusplus >= 201103L
#define unitproof_requires(...)
#define unitproof_ensures(...)
#define unitproof_assigns(...)
#define unitproof_frees(...)
#define unitproof_loop_invariant(...)
#define unitproof_decreases(...)
#if !defined __cplusplus && !defined __CPROVER_loop_invariant
#define __CPROVER_requires(...)
#define __CPROVER_ensures(...)
#define __CPROVER_assigns(...)
#define __CPROVER_frees(...)
#define __CPROVER_loop_invariant(...)
#define __CPROVER_decreases(...)
#endif
#endif

#endif /* UNITPROOF_H */
