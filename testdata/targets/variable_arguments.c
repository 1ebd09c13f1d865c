/*
Arguments of several widths through va_arg.
verdict: proved
targets: x86_64-linux i386-linux armhf-linux powerpc-linux x86_64-windows s390x-linux riscv32-none
*/
#include <unitproof.h>

#include <stdarg.h>
static long long sum(int n, ...) {
  va_list args;
  va_start(args, n);
  long long s = 0;
  s += va_arg(args, int);
  s += va_arg(args, long long);
  s += va_arg(args, long);
  s += (long long)va_arg(args, double);
  s += *va_arg(args, int *);
  s += va_arg(args, int);
  va_end(args);
  return s;
}

int main(void) {
  int x = 1000;
  sassert(sum(6, 1, 20LL, 300L, 4000.0, &x, -1) == 5320);
  return 0;
}
