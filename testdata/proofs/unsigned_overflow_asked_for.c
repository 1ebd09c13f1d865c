/*
Unsigned arithmetic may wrap in C, but a size that does is a mistake, so the check can be asked
for. The guarded sum never wraps, the product does.
verdict: failed
flags: --check unsigned-overflow
obligations: 3
*/
#include <stddef.h>
#include <unitproof.h>

static bool add_sizes(size_t a, size_t b, size_t *sum) {
  if (a > (size_t)-1 - b)
    return false;
  *sum = a + b;
  return true;
}

static unsigned area(unsigned width, unsigned height) {
  return width * height; // want failed unsigned-overflow
}

int main(void) {
  size_t a = nd_size_t(), b = nd_size_t(), sum = 0;
  if (add_sizes(a, b, &sum))
    sassert(sum >= a && sum >= b);

  unsigned w = nd_uint(), h = nd_uint();
  assume(w <= 100);
  unsigned pixels = area(w, h);
  sassert(w == 0 || pixels >= h);
  return 0;
}
