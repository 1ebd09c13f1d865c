/*
The difference of two large numbers is a fine index when it is small: a ring buffer whose
counters run freely.
verdict: proved
obligations: 3
*/
#include <unitproof.h>

static int ring[16];

int main(void) {
  size_t head = nd_size_t(), tail = nd_size_t();
  assume(head - tail < 16);
  int *p = ring;
  p[head - tail] = 1;
  sassert(p[head - tail] == 1);
  return 0;
}
