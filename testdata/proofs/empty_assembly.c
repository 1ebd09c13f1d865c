/*
An empty template executes nothing: what it is said to change in place ("+r") stays what it is, for whoever executes the
program, too. Nothing about it is assumed.
verdict: proved
obligations: 3
*/
#include <stddef.h>
#include <stdint.h>
#include <unitproof.h>

static size_t hidden(size_t i) {
  __asm__ __volatile__("" : "+r"(i));
  return i;
}

static double hidden_double(double d) {
  __asm__("" : "+x"(d) : : "memory");
  return d;
}

int main(void) {
  uint8_t bytes[4096];
  memhavoc(bytes, sizeof bytes);
  size_t n = nd_size_t(), sum = 0;
  assume(n <= sizeof bytes);
  for (size_t i = 0; i < n; i++)
    if (bytes[hidden(i)] % 3 == 1 && sum < 255)
      sum += hidden(bytes[i] % 2);
  sassert(sum <= 255);
  sassert(hidden(n) == n);
  double d = nd_double();
  assume(d > 1);
  sassert(hidden_double(d) > 1);
  return 0;
}
