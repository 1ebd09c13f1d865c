/*
Loops are executed beyond what is unrolled, also if their contracts are to be ignored.
verdict: failed
flags: --loop-contracts=false
*/
#include <unitproof.h>

void executed_without_contracts_proof(void) {
  unsigned total = 0;
  for (;;) {
    for (unsigned i = 0; i < 10; i++) // want bounded unwinding
      if (total < 2700) total++;
    sassert(total < 2700); // want failed assertion
  }
}
