/*
memcpy wants ranges that do not overlap, memmove takes any. The gap closes by moving the tail of
a list one place down: with memcpy that is wrong as soon as the tail has two elements.
verdict: failed
obligations: 3
*/
#include <string.h>
#include <unitproof.h>

#define CAPACITY 6u

struct list {
  unsigned char items[CAPACITY];
  unsigned len;
};

static void remove_at(struct list *l, unsigned at) {
  memmove(l->items + at, l->items + at + 1, l->len - at - 1);
  l->len--;
}

static void remove_first_fast(struct list *l) {
  memcpy(l->items, l->items + 1, l->len - 1); // want failed overlapping-copy
  l->len--;
}

int main(void) {
  struct list l;
  memhavoc(&l, sizeof l);
  assume(l.len >= 1 && l.len <= CAPACITY);
  unsigned at = nd_uint();
  assume(at < l.len);
  unsigned char behind = at + 1 < l.len ? l.items[at + 1] : 0;
  unsigned before = l.len;

  remove_at(&l, at);
  sassert(l.len == before - 1);
  sassert(at >= l.len || l.items[at] == behind);

  if (l.len > 0)
    remove_first_fast(&l);
  return 0;
}
