/*
Functions without a body can write what any of their arguments leads to: an address that travels as a number, in a vector, in two
halves, in a struct or in memory.

verdict: unknown
*/
#include <stdbool.h>
#include <stdint.h>
#include <unitproof.h>

typedef long pair __attribute__((vector_size(16)));
typedef unsigned halves __attribute__((vector_size(8)));
struct both { uintptr_t low; int n; };
struct far { long pad[4]; uintptr_t where; };

void vector(pair v);
void number(uintptr_t n);
void two(unsigned low, unsigned high);
void lanes(halves v);
void wide(__int128 n);
void structure(struct both b);
void copied(struct far f);
void stored(const unsigned *halves);
void nothing(long n);

int main(void) {
  char a = 1, b = 1, c = 1, d = 1, e = 1, f = 1, g = 1, h = 1, none = 1;
  vector((pair){0, (long)&a});
  sassert(a == 1); // want unknown assertion
  number((uintptr_t)&b ^ 1);
  sassert(b == 1); // want unknown assertion
  two((unsigned)(uintptr_t)&c, (unsigned)((uintptr_t)&c >> 32));
  sassert(c == 1); // want unknown assertion
  lanes((halves)(uintptr_t)&d);
  sassert(d == 1); // want unknown assertion
  wide((__int128)(uintptr_t)&e << 64);
  sassert(e == 1); // want unknown assertion
  structure((struct both){(uintptr_t)&f, 3});
  sassert(f == 1); // want unknown assertion
  copied((struct far){.where = (uintptr_t)&g});
  sassert(g == 1); // want unknown assertion
  const unsigned parts[2] = {(unsigned)(uintptr_t)&h, (unsigned)((uintptr_t)&h >> 32)};
  stored(parts);
  sassert(h == 1); // want unknown assertion
  nothing(&h - &h);
  sassert(none == 1);
  return 0;
}
