/*
Two queues share their nodes after a copy. What is appended to one of them follows the tail of the other one.
verdict: failed
obligations: 1
flags: --max-unwind 1
*/
#include <stdlib.h>
#include <unitproof.h>

struct node {
  struct node *next;
};

struct queue {
  struct node *head, *tail;
};

static void append(struct queue *q) {
  struct node *n = malloc(sizeof *n);
  if (!n)
    abort();
  n->next = NULL;
  if (q->tail)
    q->tail->next = n;
  else
    q->head = n;
  q->tail = n;
}

int main(void) {
  struct queue a = {0}, b = {0};
  while (nd_bool())
    append(&a);
  b = a;
  while (nd_bool()) {
    sassert(!b.tail || !b.tail->next); // want failed assertion
    append(&a);
    if (nd_bool())
      append(&b);
  }
}
