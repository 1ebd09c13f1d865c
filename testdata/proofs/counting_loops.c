/* verdict: failed
   Violations behind many iterations of loops that only count: these are executed at once. */
#include <unitproof.h>

void sums_proof(void) {
  int s = 0;
  long n = 0;
  for (int i = 0; i < 100000000; i++) {
    s += 3;
    n += 2;
  }
  sassert(s == 300000000);
  sassert(n != 200000000);  // want failed assertion
}

void overflow_proof(void) {
  int s = 0;
  for (long i = 0; i < 1000000000L; i++) s += 3;  // want failed signed-overflow
}

void saturated_proof(void) {
  struct { unsigned low, high; } t = {0, 0};
  for (int k = 0; k < 1000; k++)
    for (t.low = 0; t.low < 1000000; t.low++)
      if (t.high < 77) t.high++;
  sassert(t.high != 77);  // want failed assertion
}

void up_to_an_input_proof(void) {
  unsigned n = nd_uint(), x = 0;
  assume(n > 50000000);
  while (x < n) x++;
  sassert(x < 60000000);  // want failed assertion
}
