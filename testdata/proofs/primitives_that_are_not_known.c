/*
Functions that are named like primitives of verifiers and are none that are known: what they mean, the proof rests
on, so that nothing behind them is proved.
verdict: unknown
obligations: 9
*/
#include <unitproof.h>
#include <stddef.h>

_Bool __SMACK_assert(_Bool c);
void harness_assume(_Bool c);
int nondet_range(int least, int greatest);
unsigned __SMACK_nondet_unsigned(void);
void __VERIFIER_atomic_begin(void);
void klee_prefer_cex(void *object, int c);
int __CPROVER_uninterpreted_f(int);
void __CPROVER_cover(_Bool c);
_Bool sea_is_alloc(const void *p);
int __CPROVER_file_local_list_c_length(void); /* a function of the user's, exported by goto-cc */

int main(void) {
  int x = nd_int();
  switch (nd_int()) {
  case 0: __SMACK_assert(x > 0); sassert(x == x); break; // want unknown assertion
  case 1: harness_assume(x > 0); sassert(x == x); break; // want unknown assertion
  case 2: x = nondet_range(1, 2); sassert(x == x); break; // want unknown assertion
  case 3: x = __SMACK_nondet_unsigned(); sassert(x == x); break; // want unknown assertion
  case 4: __VERIFIER_atomic_begin(); sassert(x == x); break; // want unknown assertion
  case 5: klee_prefer_cex(&x, x > 0); sassert(x == x); break; // want unknown assertion
  case 6: __CPROVER_cover(x > 0); sassert(x == x); break; // want unknown assertion
  case 7: sassert(sea_is_alloc(&x)); break; // want unknown assertion
  case 8: x = __CPROVER_uninterpreted_f(3); sassert(x == __CPROVER_uninterpreted_f(3)); break;
  default: x = __CPROVER_file_local_list_c_length(); sassert(x == x);
  }
}
