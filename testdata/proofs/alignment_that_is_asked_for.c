/*
 * verdict: failed
 *
 * What an allocation is aligned to may be a variable. One that is no power of two promises nothing, posix_memalign refuses it, and so is
 * one that no address space has room for.
 */
#define _DEFAULT_SOURCE
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <unitproof.h>

static int aligned(void *p, size_t a) { return ((uintptr_t)p & (a - 1)) == 0; }

int main(void) {
  size_t a = nd_size_t();
  void *p = NULL, *q = NULL;
  switch (nd_int()) {
    case 0:
      if (posix_memalign(&p, a, 100) == 0) {
        sassert(a >= 8 && (a & (a - 1)) == 0);
        sassert(aligned(p, a));
        sassert(aligned(p, 2 * a)); // want failed assertion
      } else {
        sassert(p == NULL);
      }
      break;
    case 1:
      assume(a == 32 || a == 4096);
      p = aligned_alloc(a, 4096), q = memalign(a, 64);
      sassert(aligned(p, a) && aligned(q, a));
      sassert(!p || p != q);
      sassert(aligned(p, 4096)); // want failed assertion
      break;
    case 2:
      assume(a == 24 || a == 32);
      p = aligned_alloc(a, 96);
      if (a == 24) sassert(aligned(p, 16));
      sassert(aligned(p, 32)); // want failed assertion
      break;
    case 3:
      p = aligned_alloc((size_t)1 << 46, 1), q = aligned_alloc((size_t)1 << 46, 1);
      sassert(!p && !q);
      break;
    case 4:
      p = valloc(3);
      sassert(aligned(p, 4096));
      sassert(aligned(p, 8192)); // want failed assertion
      break;
    case 5:
      assume((a & (a - 1)) == 0 && a >= 16 && a <= 1024);
      p = aligned_alloc(a, 1), q = aligned_alloc(2 * a, 1);
      if (p && q) sassert((uintptr_t)q - (uintptr_t)p >= a || p > q);
      break;
  }
  free(p);
  free(q);
  return 0;
}
