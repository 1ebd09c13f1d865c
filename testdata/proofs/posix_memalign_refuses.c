/*
posix_memalign refuses what is no power of two or no multiple of the size of a pointer, and leaves
the pointer alone.
verdict: failed
flags: --malloc-may-fail=false
obligations: 5
*/
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <unitproof.h>

int main(void) {
  size_t align = nd_size_t();
  assume(align <= 64);
  void *p = NULL;
  int e = posix_memalign(&p, align, 16);
  if (align == 8 || align == 32)
    sassert(e == 0 && p != NULL);
  if (align == 3 || align == 4 || align == 0)
    sassert(e == EINVAL && p == NULL);
  sassert(e == 0 || e == EINVAL);
  void *q;
  sassert(posix_memalign(&q, 64, 16) == 0 && ((uintptr_t)q & 63) == 0);
  *(char *)p = 1; // want failed null-dereference
  return 0;
}
