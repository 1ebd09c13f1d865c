/*
 * A weak function that nothing in the program defines is NULL or some function. The address of a weak variable is not
 * decided.
 * verdict: failed
 */
#include <unitproof.h>

int hook(int) __attribute__((weak));
int defined(int) __attribute__((weak));
int defined(int x) { return x; }
extern int option __attribute__((weak));

struct operations { int (*start)(int); };
static const struct operations table = {hook};

static void variable(int x) {
  if (&option) x = 3;
  sassert(x == 3); // want unknown assertion
}

int main(void) {
  int x = nd_int();
  sassert(defined != NULL && defined(x) == x); // want proved assertion
  if (hook) {
    x = hook(x);
    sassert(x != 4); // want failed assertion
    sassert(table.start == hook); // want proved assertion
  } else {
    sassert(x != 5); // want failed assertion
    sassert(!table.start); // want proved assertion
  }
  switch (nd_int()) {
  case 1: hook(3); break; // want failed invalid-call
  case 2: table.start(4); break; // want failed invalid-call
  case 3: sassert(hook); break; // want failed assertion
  case 4: variable(x); break;
  }
}
