/*
Arguments of several classes are fetched through va_list, which is passed on and copied.
verdict: failed
obligations: 4
*/
#include <stdarg.h>
#include <stdint.h>
#include <unitproof.h>

static int64_t sum_list(unsigned n, va_list args) {
  int64_t sum = 0;
  for (unsigned i = 0; i < n; i++)
    sum += va_arg(args, int);
  return sum;
}

static int64_t sum_twice(unsigned n, ...) {
  va_list args, again;
  va_start(args, n);
  va_copy(again, args);
  int64_t first = sum_list(n, args);
  int64_t second = sum_list(n, again);
  va_end(again);
  va_end(args);
  sassert(first == second);
  return first;
}

static double mixed(const char *kinds, ...) {
  va_list args;
  va_start(args, kinds);
  double sum = 0;
  for (; *kinds; kinds++)
    sum += *kinds == 'd' ? va_arg(args, double) : *kinds == 'l' ? (double)va_arg(args, long) : *va_arg(args, int *);
  va_end(args);
  return sum;
}

int main(void) {
  int a = nd_int(), b = nd_int(), c = nd_int();
  sassert(sum_twice(3, a, b, c) == (int64_t)a + b + c);

  int at = 4;
  sassert(mixed("dlp", 0.5, 2l, &at) == 6.5);

  int s = (int)sum_twice(2, a, b);
  sassert(s == sum_twice(2, a, b)); // want failed assertion
  return 0;
}
