/* False green. sea_is_dereferenceable of a pointer that a contract assigns.
   The pointer that a contract leaves open is an arbitrary number that belongs to no object; what asks for its object (or writes through it, in a function
   without a body) takes that for the truth. The function under contract really gives the address of other, and its contract is proved.
   Right: with --contracts inline: failed assertion; never proved. Sibling of green_*_of_a_pointer_that_a_loop_changed.c.
   verdict: unknown */
#include <unitproof.h>

static char buf[4], other[4];
static struct { char *p; } held;
extern void ext(char *);

void set(void) __CPROVER_assigns(held.p) { held.p = other; }

int main(void) {
  held.p = NULL;
  set();
  if (held.p) sassert(!sea_is_dereferenceable(held.p, 1)); // want unknown assertion
}
