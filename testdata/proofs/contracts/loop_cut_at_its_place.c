/*
Where a loop with a contract that says too little is cut is told at the loop, and loops are numbered as they stand, with contracts
and without.
verdict: bounded
flags: --unwind cut#1=5 --unwind cut#2=3
obligations: 2
*/
#include <unitproof.h>
int cut(unsigned n) {
  unsigned sum = 0;
  for (unsigned i = 0; i < 4; i++) sum += i;
  for (unsigned i = 0; i < n; i++)
  __CPROVER_loop_invariant(sum < 100) // want bounded loop-invariant // want bounded unwinding
  {
    sum++;
  }
  sassert(sum < 100); // want bounded assertion
  return 0;
}
int cut_proof(void) { return cut(nd_uint()); }
