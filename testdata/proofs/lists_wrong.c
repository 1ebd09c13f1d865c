/* verdict: failed
   Violations in lists: each proof is like one of lists.c that holds. */
#include <stdlib.h>

#include <unitproof.h>

struct node {
  int data;
  struct node *next;
};

static struct node *new_node(int data, struct node *next) {
  struct node *n = malloc(sizeof *n);
  if (!n)
    abort();
  n->data = data;
  n->next = next;
  return n;
}

void one_differs_proof(void) {
  struct node *head = NULL;
  for (int i = 0; i < 6 && nd_bool(); i++)
    head = new_node(i == 3, head);
  for (struct node *p = head; p; p = p->next)
    sassert(p->data == 0); // want failed assertion
}

void kept_pointer_proof(void) {
  struct node *head = NULL;
  while (nd_bool())
    head = new_node(0, head);
  struct node *second = head ? head->next : NULL;
  while (head) {
    struct node *next = head->next;
    free(head);
    head = next;
  }
  if (second)
    second->data = 1; // want failed use-after-free
}

void circular_proof(void) {
  struct node *head = NULL, *first = NULL;
  while (nd_bool()) {
    head = new_node(0, head);
    if (!first)
      first = head;
  }
  if (first)
    first->next = head;
  while (head) {
    struct node *next = head->next; // want failed use-after-free
    free(head);
    head = next;
  }
}

void shared_end_proof(void) {
  struct node *a = NULL, *b = NULL;
  while (nd_bool()) {
    a = new_node(0, a);
    if (nd_bool())
      b = a;
  }
  for (struct node *p = a; p; p = p->next)
    p->data = 1;
  if (b)
    sassert(b->data == 0); // want failed assertion
}
