/* False green. r_ok of the result of a call that is replaced by a contract.
   The pointer that a contract leaves open is an arbitrary number that belongs to no object; what asks for its object (or writes through it, in a function
   without a body) takes that for the truth. The function under contract really gives the address of other, and its contract is proved.
   Right: with --contracts inline: failed assertion; never proved. Sibling of green_*_of_a_pointer_that_a_loop_changed.c.
   verdict: unknown */
#include <unitproof.h>

static char buf[4], other[4];
static struct { char *p; } held;
extern void ext(char *);

char *get(void) __CPROVER_ensures(1) { return other; }

int main(void) {
  char *q = get();
  if (q) sassert(!__CPROVER_r_ok(q, 1)); // want unknown assertion
}
