/* verdict: proved
   What is asserted behind a loop holds of the iterations that are done, with the counter in the place of its end. */
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
    sum += a[i] & 7;
  sassert(sum <= 7 * n);
}

void steps_behind_a_check_proof(void) {
  size_t n = nd_size_t();
  unsigned char *a = some_bytes(n);
  unsigned sum = 0;
  for (size_t i = 0; i < n; i++) {
    if (a[i] > 9)
      return;
    sum += a[i];
  }
  sassert(sum <= 9 * n);
}

void up_to_and_including_proof(void) {
  unsigned n = nd_uint(), sum = 0;
  assume(n <= 1000);
  for (unsigned i = 1; i <= n; i++)
    sum += i;
  sassert(sum == n * (n + 1) / 2);
}

void runs_proof(void) {
  size_t n = nd_size_t(), w = 0, i = 0;
  unsigned char *a = some_bytes(n), *out = malloc(2 * n);
  assume(out || !n);
  while (i < n) {
    size_t run = 1;
    while (i + run < n && run < 255 && a[i + run] == a[i])
      run++;
    out[w++] = run;
    out[w++] = a[i];
    i += run;
  }
  sassert(w <= 2 * n);
}
