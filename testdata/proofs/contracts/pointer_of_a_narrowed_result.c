/* A contract leaves its result open: it may point to `other`. What the assumptions say of its number (its upper bits are
   zero, it is aligned) does not make it a pointer to no object.
   verdict: unknown */
#include <stdint.h>
#include <unitproof.h>

static char other[4];

char *get(void) __CPROVER_assigns() __CPROVER_ensures(1) { return other; }

void bounded_proof(void) {
  char *q = get();
  assume((uintptr_t)q < 0x700000000000);
  if (q)
    sassert(!__CPROVER_r_ok(q, 1)); // want unknown assertion
}

void small_proof(void) {
  char *q = get();
  assume((uintptr_t)q < 0x7000000);
  if (q)
    sassert(!__CPROVER_r_ok(q, 1)); // want unknown assertion
}

void aligned_proof(void) {
  char *q = get();
  assume(((uintptr_t)q & 3) == 0);
  if (q)
    sassert(!__CPROVER_r_ok(q, 1)); // want unknown assertion
}
