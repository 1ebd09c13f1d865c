/*
Structs of integers and of floats come back in different registers; what is behind such a
call is not examined, and not vacuous.
verdict: failed
obligations: 2
*/
#include <unitproof.h>

struct ints {
  long x, y;
};
struct floats {
  double x, y;
};
static struct ints give(void) { return (struct ints){1, 2}; }

int main(void) {
  struct floats (*f)(void) = (struct floats(*)(void))give;
  struct floats r = f(); // want failed invalid-call
  sassert(r.x == 1);
  return 0;
}
