/*
 * verdict: failed
 * flags: --check memory-leak
 * obligations: 8
 *
 * A product that no size_t holds is refused, whatever its low bits are: the old block stays and has to be freed.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <unitproof.h>

static void refused(size_t n) {
  char *p = malloc(4);
  if (!p) return;
  p[0] = 1;
  assume(n == 0 || n >= (size_t)1 << 32);
  sassert(reallocarray(p, n, (size_t)1 << 32) == NULL);
  if (n > 0) sassert(p[0] == 1);
  free(p); // want failed double-free
}

static void kept(void) {
  char *p = malloc(4); // want failed memory-leak
  if (p) (void)reallocarray(p, (size_t)1 << 63, 2);
}

static void freed(void) {
  char *p = malloc(4);
  if (p) (void)reallocarray(p, 0, (size_t)1 << 63);
}

int main(void) {
  switch (nd_int()) {
    case 0: refused(nd_size_t()); break;
    case 1: kept(); break;
    case 2: freed(); break;
  }
  return 0;
}
