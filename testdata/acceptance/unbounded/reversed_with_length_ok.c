/*
A list of n nodes is reversed. It is empty before and afterwards if n is 0.
verdict: proved
obligations: 4
*/
#include <stdlib.h>
#include <unitproof.h>

struct node {
  struct node *next;
  int key;
};

static struct node *reverse(struct node *list) {
  struct node *done = NULL;
  while (list) {
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
  sassert((list == NULL) == (n == 0));
}
