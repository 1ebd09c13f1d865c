/*
 * verdict: failed
 *
 * As list_of_some, but that the eleventh node is not linked back to where there is one.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <unitproof.h>

#define MOST 20

struct node {
  struct node *next, *prev;
};

struct list {
  struct node head, tail;
};

static void make(struct list *l) {
  struct node *last = &l->head;
  l->head.prev = l->tail.next = NULL;
  for (int i = 0; i < MOST; i++) {
    struct node *n = malloc(sizeof *n);
    if (n == NULL) break;
    last->next = n;
    if (i != 10) n->prev = last;
    last = n;
  }
  last->next = &l->tail;
  l->tail.prev = last;
}

static bool valid(const struct list *l) {
  const struct node *n = &l->head;
  while (n != &l->tail) {
    if (n->next == NULL || n->next->prev != n) return false;
    n = n->next;
  }
  return true;
}

static void push_front(struct list *l, struct node *n) {
  n->prev = &l->head;
  n->next = l->head.next;
  l->head.next->prev = n;
  l->head.next = n;
}

int main(void) {
  struct list l;
  struct node n;
  make(&l);
  sassert(valid(&l)); // want failed assertion
  struct node *first = l.head.next;
  push_front(&l, &n);
  sassert(valid(&l));
  sassert(n.next == first && l.head.next == &n);
}
