/* Each place with "fails" has one counterexample, which native runs reproduce on all machines (TestReplayOnTargets). */
#include <stdlib.h>
#include <string.h>
#include <unitproof.h>

struct pair {
  short a;
  char b;
  long c;
};
static int table[4];
static const int constant[2] = {1, 2};
static int *gone;

static int element(const int *v, int i) { return v[i]; } /* fails: beyond a local array */
static void leaves(void) {
  int local = 3;
  gone = &local;
}
static int sum(int n, ...) {
  __builtin_va_list ap;
  __builtin_va_start(ap, n);
  int s = 0;
  for (int i = 0; i < n; i++)
    s += __builtin_va_arg(ap, int) & 255;
  __builtin_va_end(ap);
  return s;
}
static int increment(int x) { return (int)((unsigned)x + 1u); }

int main(void) {
  /* Values of each width, in the byte order of the machine. */
  unsigned char c = nd_uint8_t();
  sassert(c != 0x81); /* fails */
  short s = nd_short();
  sassert(s != 0x1234); /* fails */
  int i = nd_int();
  sassert(i != 0x12345678); /* fails */
  long long w = nd_int64_t();
  sassert(w != 0x123456789abcdef0LL); /* fails */
  long l = nd_long();
  sassert(l != -77); /* fails */
  float f = nd_float();
  sassert(f != 1.5f); /* fails */
  double d = nd_double();
  sassert(d != -2.25); /* fails */
  struct pair p;
  memhavoc(&p, sizeof p);
  sassert(p.a != 0x0102 || p.b != 3 || p.c != 0x0a0b0c0d); /* fails */
  int (*call)(int) = nd_int() == 5 ? increment : NULL;
  sassert(!call || call(i) != 9 || sum(3, c, s, i) != 300); /* fails */

  /* Each kind of memory. */
  unsigned n = nd_uint();
  int local[3] = {1, 2, 3};
  int *heap = malloc(4 * sizeof *heap);
  if (!heap)
    return 0;
  memset(heap, 0, 4 * sizeof *heap);
  switch (nd_int()) {
  case 0:
    table[n & 7] = 1; /* fails */
    break;
  case 1:
    return element(local, (int)(n & 3));
  case 2:
    heap[n & 7] = 1; /* fails */
    break;
  case 3:
    memcpy(local, heap, n & 15); /* fails: 13 of 12 bytes */
    break;
  case 4:
    ((int *)constant)[1] = 3; /* fails */
    break;
  case 5:
    leaves();
    return *gone; /* fails */
  case 6:
    *(n == 3 ? NULL : local) = 1; /* fails */
    break;
  case 7:
    memcpy(local + 1, local, n & 7); /* fails: they overlap */
    break;
  case 8:
    free(heap);
    return heap[1]; /* fails */
  case 9:
    free(heap);
    free(heap); /* fails */
    return 0;
  case 10:
    free(heap + (n & 1)); /* fails */
    return 0;
  case 11:
    return 1000 / ((int)(n & 7) - 7); /* fails */
  case 12:
    return 1LL << (n & 127) != 0; /* fails */
  case 13:
    assume(d == 3e9);
    return (int)d; /* fails */
  case 14:
    return i + (int)n; /* fails */
  }
  free(heap);
  return 0;
}
