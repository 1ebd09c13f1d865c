/*
 * verdict: unknown
 *
 * What needs a result of the C library that no model gives is no failure. What does not need it fails as ever.
 */
#include <locale.h>
#include <math.h>
#include <unitproof.h>

int main(void) {
  int a[10] = {0};
  double x = nd_double(), y = pow(2, 3);
  assume(x > 0 && x < 100);
  sassert(pow(x, 2) >= 0 && pow(x, 0) == 1 && exp(0) == 1 && pow(-1, 0.5) != pow(-1, 0.5));
  sassert(sin(x) <= 1 && isnan(log(-x)));
  sassert(y == 8);          // want unknown assertion
  if (log(x) > 3) a[9] = 1;
  if (log(x) > 5) a[10] = 1;  // want unknown array-bounds
  sassert(lgamma(x) == lgamma(x));  // want unknown assertion
  sassert(setlocale(LC_ALL, 0) != 0);  // want unknown assertion
}
