/*
Numbers that were computed from no address and equal one: C does not say whether a pointer made of them points to the object, so
that is neither proved nor a failure.

verdict: unknown
*/
#include <stdint.h>
#include <stdlib.h>
#include <unitproof.h>

static int table[4] = {1, 2, 3, 4};

static int in_range(uintptr_t h) {
  if (h >= (uintptr_t)table && h < (uintptr_t)(table + 4)) return *(char *)h; // want unknown invalid-pointer
  return 0;
}

static void written(uintptr_t h) {
  int x = 5;
  if (h == (uintptr_t)&x) {
    *(int *)h = 6; // want unknown invalid-pointer
    sassert(x == 5);
  }
}

static void asked(uintptr_t h) {
  int x = 5;
  if (h == (uintptr_t)&x) sassert(sea_is_dereferenceable((void *)h, 4)); // want unknown assertion
}

static void freed(uintptr_t h) {
  char *p = malloc(3);
  if (p && h == (uintptr_t)p) free((void *)h); // want unknown invalid-free
  else free(p);
}

static void computed(uintptr_t h) {
  int x = 5;
  uintptr_t back = h - (uintptr_t)&x;
  sassert(*(int *)(h - back) == 5);
}

int main(void) {
  uintptr_t h = nd_uintptr_t();
  switch (nd_int()) {
  case 0: in_range(h); break;
  case 1: written(h); break;
  case 2: asked(h); break;
  case 3: freed(h); break;
  default: computed(h);
  }
  return 0;
}
