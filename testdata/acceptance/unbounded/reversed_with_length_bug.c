/*
A list of n nodes is reversed, and its last node is forgotten. It is empty afterwards if n is 1.
verdict: failed
obligations: 1
*/
#include <stdlib.h>
#include <unitproof.h>

struct node {
  struct node *next;
  int key;
};

static struct node *reverse(struct node *list) {
  struct node *done = NULL;
  while (list && list->next) {
    struct node *rest = list->next;
    list->next = done;
    done = list;
    list = rest;
  }
  return done;
}

int main(void) {
  unsigned n = nd_uint();
  struct node *list = NULL;
  for (unsigned i = 0; i < n; i++) {
    struct node *p = malloc(sizeof *p);
    if (!p)
      abort();
    p->key = nd_int();
    p->next = list;
    list = p;
  }
  list = reverse(list);
  sassert((list == NULL) == (n == 0)); // want failed assertion
}
