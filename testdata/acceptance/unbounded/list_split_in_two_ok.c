/*
The members of a list are divided between two others. Each of these is freed without touching the other one.
verdict: proved
obligations: 10
*/
#include <stdlib.h>
#include <unitproof.h>

struct node {
  struct node *next;
  int value;
};

static void drop(struct node *list) {
  while (list) {
    struct node *rest = list->next;
    free(list);
    list = rest;
  }
}

int main(void) {
  struct node *all = NULL, *odd = NULL, *even = NULL;
  while (nd_bool()) {
    struct node *n = malloc(sizeof *n);
    if (!n)
      break;
    n->value = nd_int();
    n->next = all;
    all = n;
  }
  while (all) {
    struct node *n = all;
    all = n->next;
    if (n->value & 1) {
      n->next = odd;
      odd = n;
    } else {
      n->next = even;
      even = n;
    }
  }
  drop(odd);
  for (struct node *n = even; n; n = n->next)
    n->value = 0;
  drop(even);
}
