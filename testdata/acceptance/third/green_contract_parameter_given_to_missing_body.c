/* False green. A parameter of which nothing is required is an arbitrary address in no object; given to a function without a body, the verdict says
   "no body for ext: it does nothing", though a caller may pass any valid pointer and ext may write through it (CONTRACT.md section 2: it may write
   anything to memory reachable from its non-const pointer arguments). Both functions are proved, and so is the harness, which is false natively
   (ext writes 1). With is_fresh(p, 4) required f is not proved. Cause: vcgen/unfold/call.go, `reach := cc.writable()`; len(reach) == 0 is taken as
   "does nothing" even where the argument is a pointer of unknown object.
   Right: f and g unknown (depends on ext).
   verdict: unknown */
#include <unitproof.h>

static char other[4];
extern void ext(char *);

void f(char *p)
__CPROVER_assigns()
__CPROVER_ensures(1)
{
  if (p) ext(p); // want unknown assigns
}

void g(char *p)
__CPROVER_assigns(__CPROVER_object_whole(other))
__CPROVER_ensures(other[0] == __CPROVER_old(other[0])) // want unknown postcondition
{
  if (p) ext(p); // want unknown assigns
}

int main(void) {
  other[0] = 0;
  f(other);
  sassert(other[0] == 0);
}
