/* verdict: failed
   Violations of postconditions like those of postconditions_of_sums.c. */
#include <stdint.h>
#include <stdlib.h>

#include <unitproof.h>

static unsigned char *some_bytes(size_t n) {
  assume(n <= 100000);
  unsigned char *s = malloc(n);
  assume(s != NULL);
  memhavoc(s, n);
  return s;
}

void small_steps_proof(void) {
  size_t n = nd_size_t();
  unsigned char *a = some_bytes(n);
  unsigned sum = 0;
  for (size_t i = 0; i < n; i++)
    sum += i == 40 ? 8 : a[i] & 7;
  sassert(sum <= 7 * n); // want failed assertion
}

void steps_behind_a_check_proof(void) {
  size_t n = nd_size_t();
  unsigned char *a = some_bytes(n);
  unsigned sum = 0;
  for (size_t i = 0; i < n; i++) {
    if (a[i] > 9 && i % 16 != 15)
      return;
    sum += a[i];
  }
  sassert(sum <= 9 * n); // want failed assertion
}

void up_to_and_including_proof(void) {
  unsigned n = nd_uint(), sum = 0;
  assume(n <= 1000);
  for (unsigned i = 1; i <= n; i++)
    sum += i == 50 ? 51 : i;
  sassert(sum == n * (n + 1) / 2); // want failed assertion
}
