/*
 * verdict: failed
 * obligations: 12
 *
 * Variable arguments of every class of the ABI, in registers and behind them, among others such as are more aligned than
 * eight bytes: what is taken is what was passed.
 */
#include <stdarg.h>
#include <unitproof.h>

typedef int four __attribute__((vector_size(16)));
typedef float pair __attribute__((vector_size(8)));
typedef double wide_vector __attribute__((vector_size(32)));
struct aligned { _Alignas(32) int a; char b; };
struct wide { char tag; __int128 value; };
struct only { __int128 value; };
struct mixed { double d; long l; };
struct three { int a, b, c; };
struct large { long a[5]; };
struct floats { float x, y, z; };
struct odd { char bytes[11]; };

static long general(int n, ...) {
  va_list ap;
  va_start(ap, n);
  long sum = va_arg(ap, int);
  sum += va_arg(ap, __int128) == (__int128)5 << 70;
  for (int i = 0; i < n; i++) sum += va_arg(ap, long);
  sum += va_arg(ap, __int128) == 7;
  struct only o = va_arg(ap, struct only);
  sum += o.value == -1;
  sum += va_arg(ap, unsigned _BitInt(70)) == 9;
  return sum + va_arg(ap, int);
}

int proof_general(void) {
  int x = nd_int();
  assume(x > 0 && x < 100);
  struct only o = {-1};
  for (int n = 0; n < 6; n++) {
    long sum = 0;
    __int128 big = (__int128)5 << 70, seven = 7;
    unsigned _BitInt(70) nine = 9;
    switch (n) {
    case 0: sum = general(0, x, big, seven, o, nine, x); break;
    case 1: sum = general(1, x, big, 1L, seven, o, nine, x); break;
    case 2: sum = general(2, x, big, 1L, 2L, seven, o, nine, x); break;
    case 3: sum = general(3, x, big, 1L, 2L, 3L, seven, o, nine, x); break;
    case 4: sum = general(4, x, big, 1L, 2L, 3L, 4L, seven, o, nine, x); break;
    default: sum = general(5, x, big, 1L, 2L, 3L, 4L, 5L, seven, o, nine, x); break;
    }
    sassert(sum == 4 + 2 * x + n * (n + 1) / 2);
  }
  return 0;
}

static int floating(double first, ...) {
  va_list ap, again;
  va_start(ap, first);
  va_copy(again, ap);
  int right = 0;
  for (int i = 0; i < 5; i++) right += va_arg(ap, double) == i + 0.5;
  four v = va_arg(ap, four);
  right += v[0] == 1 && v[3] == 4;
  pair p = va_arg(ap, pair);
  right += p[0] == 1.5f && p[1] == 2.5f;
  struct mixed m = va_arg(ap, struct mixed);
  right += m.d == 0.25 && m.l == 3;
  struct floats f = va_arg(ap, struct floats);
  right += f.x == 1 && f.y == 2 && f.z == 3;
  v = va_arg(ap, four);
  right += v[1] == 2;
  _Complex double z = va_arg(ap, _Complex double);
  right += __real__ z == 1.5 && __imag__ z == -2;
  wide_vector w = va_arg(ap, wide_vector);
  right += w[0] == 1 && w[3] == 4;
  right += va_arg(ap, double) == 9;
  right += va_arg(again, double) == 0.5;
  return right;
}

int proof_floating(void) {
  four v = {1, 2, 3, 4};
  pair p = {1.5f, 2.5f};
  wide_vector w = {1, 2, 3, 4};
  struct mixed m = {0.25, 3};
  struct floats f = {1, 2, 3};
  _Complex double z = 1.5 - 2.0i;
  sassert(floating(0, 0.5, 1.5, 2.5, 3.5, 4.5f, v, p, m, f, v, z, w, 9.0) == 14);
  return 0;
}

static int structs(struct large *passed, ...) {
  passed->a[4] = 0; /* what was passed was copied before */
  va_list ap;
  va_start(ap, passed);
  struct three t = va_arg(ap, struct three);
  struct large l = va_arg(ap, struct large);
  struct wide w = va_arg(ap, struct wide);
  char c = (char)va_arg(ap, int);
  struct aligned a = va_arg(ap, struct aligned);
  struct odd o = va_arg(ap, struct odd);
  struct wide again = va_arg(ap, struct wide);
  return t.a + 10 * t.c + (l.a[4] == 7) * 100 + (w.value == (__int128)1 << 99 && w.tag == 'w') * 1000 + (c == 'c') * 10000 + (a.b == 'b' && a.a == 8) * 100000 +
         (o.bytes[10] == 'o') * 1000000 + (again.tag == 'w') * 10000000;
}

int proof_structs(void) {
  struct three t = {1, 2, 3};
  struct large l = {{0, 0, 0, 0, 7}};
  struct wide w = {'w', (__int128)1 << 99};
  struct aligned a = {8, 'b'};
  struct odd o = {{[10] = 'o'}};
  sassert(structs(&l, t, l, w, 'c', a, o, w) == 11111131);
  return 0;
}

static long by_value(struct wide w, struct aligned a, long n, __int128 v, struct wide again, long m, long k, __int128 on_the_stack) {
  w.value++;
  a.b = 'a';
  return (w.value == 6) + (again.value == 5) + (v == 4) + (a.a == 8) + (n == 1) + (m == 2) + (k == 3) + (on_the_stack == -9);
}

int proof_by_value(void) {
  struct wide w = {'w', 5};
  struct aligned a = {8, 'b'};
  sassert(by_value(w, a, 1, 4, w, 2, 3, -9) == 8);
  sassert(w.value == 5 && a.b == 'b');
  return 0;
}

static int take(int n, ...) {
  va_list ap;
  va_start(ap, n);
  int sum = 0;
  while (n-- > 0) sum += va_arg(ap, int); // want failed out-of-bounds-read
  return sum;
}

/* One more than there are, all of which are in registers. */
int proof_too_many(void) {
  unsigned n = nd_uint();
  assume(n < 4);
  return take((int)n, 1, 2) > 3;
}
