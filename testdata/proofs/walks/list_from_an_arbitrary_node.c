// verdict: proved
// The walk over a list of up to 20 nodes, from an arbitrary node: what induction can say of that node follows from the
// validity of its pointer, which induction does not show. It is unrolled, and what induction says is nobody's defect.
#include <stdlib.h>
#include <unitproof.h>

struct node {
  struct node *next, *prev;
};

struct list {
  struct node head, tail;
};

static void fill(struct list *l, size_t most) {
  l->head.prev = NULL;
  l->tail.next = NULL;
  struct node *at = &l->head;
  for (size_t i = 0; i < most; i++) {
    struct node *n = malloc(sizeof *n);
    if (!n)
      break;
    at->next = n;
    n->prev = at;
    at = n;
  }
  at->next = &l->tail;
  l->tail.prev = at;
}

static _Bool valid(const struct list *l) {
  const struct node *at = &l->head;
  while (at) {
    if (at == &l->tail)
      return 1;
    if (!at->next || at->next->prev != at)
      return 0;
    at = at->next;
  }
  return 0;
}

void push_back_harness(void) {
  struct list l;
  struct node added;
  fill(&l, 20);
  assume(valid(&l));
  struct node *last = l.tail.prev;
  last->next = &added;
  added.prev = last;
  added.next = &l.tail;
  l.tail.prev = &added;
  sassert(valid(&l));
  sassert(added.prev == last && l.tail.prev == &added);
}
