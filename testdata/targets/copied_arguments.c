/*
va_copy, and a va_list as an argument.
verdict: proved
targets: x86_64-linux i386-linux armhf-linux powerpc-linux x86_64-windows s390x-linux riscv32-none
*/
#include <unitproof.h>

#include <stdarg.h>
static int add(int n, va_list args) {
  int s = 0;
  for (int i = 0; i < n; i++) s += va_arg(args, int);
  return s;
}
static int twice(int n, ...) {
  va_list a, b;
  va_start(a, n);
  va_copy(b, a);
  int s = add(n, a) + add(n, b);
  va_end(a);
  va_end(b);
  return s;
}

int main(void) {
  int x = nd_int();
  assume(x >= 0 && x < 100);
  sassert(twice(3, x, 2, 3) == 2 * (x + 5));
  return 0;
}
