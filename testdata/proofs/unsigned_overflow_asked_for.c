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

static size_t area(size_t width, size_t height) {
  return width * height; // want failed unsigned-overflow
}

int main(void) {
  size_t a = nd_size_t(), b = nd_size_t(), sum = 0;
  if (add_sizes(a, b, &sum))
    sassert(sum >= a && sum >= b);

  size_t w = nd_size_t(), h = nd_size_t();
  assume(w <= 100000);
  size_t pixels = area(w, h);
  sassert(w == 0 || pixels / w == h);
  return 0;
}
