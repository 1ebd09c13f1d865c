/*
What libatomic does: clang calls it for atomic objects that no instruction handles at once, here because of their size or their alignment.

verdict: failed
*/
#include <stdatomic.h>
#include <stdbool.h>
#include <unitproof.h>

struct three { long a, b, c; };
static _Atomic struct three shared;
static _Atomic __int128 wide;
static struct { char c; _Atomic int x; } __attribute__((packed)) apart;

int main(void) {
  struct three x = {1, 2, nd_long()};
  shared = x;
  struct three next = {4, 5, 6}, old = atomic_exchange(&shared, next);
  sassert(old.a == 1 && old.c == x.c);

  struct three expected = {4, 5, 7};
  sassert(!atomic_compare_exchange_strong(&shared, &expected, x));
  sassert(expected.c == 6);
  sassert(atomic_compare_exchange_strong(&shared, &expected, x));
  struct three now = shared;
  sassert(now.b == 2);
  sassert(now.c == 6); // want failed assertion

  wide = 3;
  wide += 4;
  sassert(wide == 7);
  __int128 seven = 7;
  sassert(atomic_compare_exchange_strong(&wide, &seven, nd_long()));
  sassert(wide == 0); // want failed assertion

  apart.x = 5;
  sassert(__c11_atomic_fetch_add(&apart.x, 2, memory_order_seq_cst) == 5);
  __c11_atomic_fetch_xor(&apart.x, 1, memory_order_seq_cst);
  sassert(apart.x == 6 && apart.c == 0);

  _Atomic struct three *nowhere = 0;
  now = *nowhere; // want failed null-dereference
  return 0;
}
