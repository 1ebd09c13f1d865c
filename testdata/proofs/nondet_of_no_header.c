/*
nd_llong is in no header, so it returns an int: values beyond it were never tried.
verdict: unknown
obligations: 1
*/
#include <unitproof.h>

int main(void) {
  long long x = nd_llong();
  sassert(x < 1LL << 40); // want unknown assertion
}
