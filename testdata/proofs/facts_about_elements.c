/* verdict: failed
   Invariants of a later loop that need facts about elements which an earlier loop has written, and assertions about
   elements that call an error function. In each second function something is wrong in a late iteration. */
#include <stdlib.h>
#include <unitproof.h>

extern void reach_error(void) __attribute__((noreturn));
static void check(int condition) {
  if (!condition)
  ERROR:
    reach_error();  // want failed assertion
}

static int *input(size_t n) {
  assume(n <= 100000);
  int *a = malloc(n * sizeof *a);
  assume(a != NULL);
  return a;
}

void count_of_flags_proof(void) {
  size_t n = nd_size_t(), count = 0;
  int *a = input(n);
  for (size_t i = 0; i < n; i++) a[i] = nd_bool();
  for (size_t i = 0; i < n; i++) count += a[i];
  sassert(count <= n);
  free(a);
}

void count_of_flags_and_another_proof(void) {
  size_t n = nd_size_t(), count = 0;
  int *a = input(n);
  for (size_t i = 0; i < n; i++) a[i] = i == 700 ? 20000 : nd_bool();
  for (size_t i = 0; i < n; i++) count += a[i];
  sassert(count <= n);  // want failed assertion
  free(a);
}

void sum_of_assumed_values_proof(void) {
  size_t n = nd_size_t(), sum = 0;
  int *a = input(n);
  for (size_t i = 0; i < n; i++) {
    int v = nd_int();
    assume(v > 2 && v < 100);
    a[i] = v;
  }
  for (size_t i = 0; i < n; i++) {
    sassert(a[i] >= 3);
    sum += a[i] < 100;
  }
  sassert(sum == n);
  free(a);
}

void maximum_by_error_call_proof(void) {
  size_t n = nd_size_t();
  int *a = input(n), max = 0;
  for (size_t i = 0; i < n; i++)
    if (a[i] > max) max = a[i];
  for (size_t i = 0; i < n; i++) {
    if (!(a[i] <= max)) reach_error();
  }
  free(a);
}

void maximum_that_forgets_one_proof(void) {
  size_t n = nd_size_t();
  int *a = input(n), max = 0;
  for (size_t i = 0; i < n; i++)
    if (a[i] > max && i != 700) max = a[i];
  for (size_t i = 0; i < n; i++) check(a[i] <= max);
  free(a);
}

void copy_by_error_call_proof(void) {
  static int from[100000], to[100000];
  for (size_t i = 0; i < 100000; i++) {
    from[i] = nd_int();
    to[i] = from[i];
  }
  for (size_t i = 0; i < 100000; i++) check(from[i] == to[i]);
}
