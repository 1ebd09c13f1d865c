/*
Structs of a greater alignment among variable arguments. clang skips to their alignment on PowerPC, although the slot
has only an address there (32 bits); with 64 bits the struct is passed as integers of 128 bits. A skipped slot must not
be read as an argument.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux aarch64-linux powerpc64-linux riscv64-linux
*/
#include <stdarg.h>
#include <unitproof.h>

struct eight {
  _Alignas(8) int a;
};
struct sixteen {
  _Alignas(16) int a;
};
struct bytes {
  _Alignas(16) char c[20];
};
struct far {
  _Alignas(32) int a;
};

static int sum(int n, ...) {
  va_list ap;
  va_start(ap, n);
  int a = va_arg(ap, int);
  int b = va_arg(ap, struct eight).a;
  int c = va_arg(ap, int);
  int d = va_arg(ap, struct sixteen).a;
  int e = va_arg(ap, int);
  struct bytes f = va_arg(ap, struct bytes);
  int g = va_arg(ap, int);
  int h = va_arg(ap, struct far).a;
  long i = va_arg(ap, long);
  va_end(ap);
  sassert(a == 1 && b == 2 && c == 3 && d == 4 && e == n && f.c[0] == 5 && f.c[19] == 6 && g == 7 && h == n);
  return (int)i;
}

int main(void) {
  int n = nd_int();
  struct eight x = {2};
  struct sixteen y = {4};
  struct bytes z = {{5}};
  z.c[19] = 6;
  struct far w = {n};
  int last = sum(n, 1, x, 3, y, n, z, 7, w, (long)sizeof(long));
  sassert(last == 8); // want failed assertion on i386-linux armhf-linux powerpc-linux
  return 0;
}
