/*
Members of a list are removed through a pointer to the link before them.
verdict: proved
obligations: 10
*/
#include <stdlib.h>
#include <unitproof.h>

struct node {
  struct node *next;
  int value;
};

static void remove_all(struct node **link, int value) {
  while (*link) {
    struct node *n = *link;
    if (n->value == value) {
      *link = n->next;
      free(n);
    } else {
      link = &n->next;
    }
  }
}

int main(void) {
  struct node *list = NULL;
  while (nd_bool()) {
    struct node *n = malloc(sizeof *n);
    if (!n)
      break;
    n->value = nd_int();
    n->next = list;
    list = n;
  }
  remove_all(&list, nd_int());
  while (list) {
    struct node *rest = list->next;
    free(list);
    list = rest;
  }
}
