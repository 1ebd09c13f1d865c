/* verdict: failed
   Violations of facts about elements like those of elements_below_and_all.c. */
#include <stdlib.h>

#include <unitproof.h>

static unsigned char *some_bytes(size_t n) {
  assume(n <= 100000);
  unsigned char *s = malloc(n);
  assume(s != NULL);
  memhavoc(s, n);
  return s;
}

void largest_so_far_proof(void) {
  size_t n = nd_size_t(), best = 0, k = nd_size_t();
  unsigned char *a = some_bytes(n);
  assume(k < n);
  for (size_t i = 1; i < n; i++)
    if (a[i] > a[best] && i != 3)
      best = i;
  sassert(a[k] <= a[best]); // want failed assertion
}

void stack_proof(void) {
  int stack[32], top = 0;
  while (nd_bool()) {
    if (nd_bool()) {
      if (top == 32)
        return;
      int x = nd_int();
      assume(x >= 0 || top == 2);
      stack[top++] = x;
    } else if (top > 0) {
      top--;
      sassert(stack[top] >= 0); // want failed assertion
    }
  }
}

void histogram_proof(void) {
  size_t n = nd_size_t();
  unsigned char *a = some_bytes(n), k = nd_uchar();
  unsigned count[256] = {0};
  for (size_t i = 0; i < n; i++)
    count[a[i]] += i == 9 ? 2 : 1;
  sassert(count[k] <= n); // want failed assertion
}
