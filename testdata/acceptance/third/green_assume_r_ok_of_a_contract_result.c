/* False green, and a false "vacuous". The idiom of CBMC harnesses: assume(__CPROVER_r_ok(q, 1)) of a pointer that a contract leaves open. The pointer is a
   number in no object, so the assumption is taken to be false: main's assertion is "proved" since only q == b is left, and in the second proof "can never
   hold", vacuous as a whole. get really gives other: with --contracts inline both assertions are failed. Sibling of green_contract_result_r_ok.c.
   Right: failed or unknown, both.
   verdict: unknown */
#include <unitproof.h>

static char other[4];
char *get(void) __CPROVER_ensures(1) { return other; }

int main(void) {
  char b[2], *q = nd_bool() ? get() : b;
  assume(__CPROVER_r_ok(q, 1));
  sassert(q == b); // want unknown assertion
}

void second_proof(void) {
  int x = nd_int();
  char *q = get();
  assume(__CPROVER_r_ok(q, 1));
  sassert(x < 5); // want unknown assertion
}
