/*
va_arg with another type than the argument's is undefined in C. Here it reads the padding in front of an argument that
is aligned to 16 bytes, and padding has any value.
verdict: failed
obligations: 5
*/
#include <unitproof.h>

#include <stdarg.h>

static int seventh(int n, ...) {
  va_list l;
  va_start(l, n);
  int t = 0;
  for (int i = 0; i < 7; i++)
    t = va_arg(l, int);
  va_end(l);
  return t;
}

int main(void) {
  int t = seventh(0, 1, 2, 3, 4, 5, 6, (__int128)1);
  sassert(t == 0); // want failed assertion
  return 0;
}
