/*
Structures among the variable arguments: by value in the slots, or by the address of a copy (PowerPC with 32 bits).
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows
*/
#include <unitproof.h>

#include <stdarg.h>

struct pair { long a; char b; };
struct triple { char c[3]; };
struct numbers { double x; short y; };

static long long sum(int n, ...) {
  va_list l, again;
  va_start(l, n);
  va_copy(again, l);
  long long t = 0;
  for (int i = 0; i < n; i++) {
    struct pair p = va_arg(l, struct pair);
    struct triple c = va_arg(l, struct triple);
    t = t * 10 + p.a + p.b + c.c[2];
    p.a = 99;
    t += va_arg(l, int);
    struct numbers d = va_arg(l, struct numbers);
    t += d.y + (long long)d.x;
  }
  t += 1000 * va_arg(again, struct pair).a;
  va_end(again);
  va_end(l);
  return t;
}

int main(void) {
  char k = nd_char();
  assume(k >= 0 && k < 3);
  struct pair p = {k, 1};
  struct triple c = {{0, 0, 2}};
  struct numbers d = {0.5, 3};
  long long t = sum(2, p, c, 4, d, p, c, k, d);
  sassert(p.a == k);
  sassert(t == 1000 * k + (k + 10) * 10 + 2 * k + 6);
  int w = sizeof(long);
  sassert(t != 1110 + 2 * w); // want failed assertion on i386-linux armhf-linux powerpc-linux x86_64-windows
  return 0;
}
