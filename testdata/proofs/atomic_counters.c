/*
Atomic operations, run by one thread: they do what their names say, and compare-and-swap tells
what it found. A reference count that is dropped once too often frees twice.
verdict: failed
obligations: 4
*/
#include <stdatomic.h>
#include <stdlib.h>
#include <unitproof.h>

struct shared {
  atomic_uint refs;
  _Atomic(int) state;
};

static void drop(struct shared *s) {
  if (atomic_fetch_sub(&s->refs, 1) == 1) // want failed use-after-free
    free(s);
}

int main(void) {
  struct shared *s = malloc(sizeof *s);
  if (!s)
    return 0;
  atomic_init(&s->refs, 1);
  int start = nd_int();
  atomic_init(&s->state, start);

  atomic_fetch_add(&s->refs, 1);
  sassert(atomic_load(&s->refs) == 2);

  int expected = nd_int();
  bool swapped = atomic_compare_exchange_strong(&s->state, &expected, 5);
  sassert(expected == start || swapped);
  sassert(atomic_exchange(&s->state, 9) == (swapped ? 5 : start));

  drop(s);
  drop(s);
  if (nd_bool())
    drop(s);
  return 0;
}
