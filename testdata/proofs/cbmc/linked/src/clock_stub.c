#include "clock.h"

unsigned nondet_ticks(void);

unsigned clock_ticks(void) {
  unsigned t = nondet_ticks();
  __CPROVER_assume(t < 10);
  return t;
}

/* Of another type than declared: harmless, since a pointer is passed like any other. */
int clock_wait(unsigned ticks, char *why) {
  __CPROVER_assert(ticks < 10, "ticks");
  return *why;
}

/* Of one parameter more than declared: no caller can be right. */
int clock_set(unsigned ticks, int zone, int leap) { return leap; }

/* Of one parameter less than declared: the last argument is left out. Its result is any. */
int clock_adjust(unsigned ticks) { __CPROVER_assert(ticks < 100, "ticks"); }
