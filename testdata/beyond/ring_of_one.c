/*
After three thousand million nodes, the first one is its own successor. No execution here comes so far: nothing is
shown, and nothing may be proved.
verdict: failed
obligations: 1
*/
#include <stdlib.h>
#include <unitproof.h>

struct node {
  struct node *next;
  int value;
};

int main(void) {
  struct node *list = NULL;
  unsigned long count = 0;
  while (nd_bool()) {
    struct node *n = malloc(sizeof *n);
    if (!n)
      break;
    n->value = nd_int();
    n->next = list;
    list = n;
    count++;
  }
  if (!list)
    return 0;
  struct node **link = &list->next;
  if (count > 3000000000)
    list->next = list;
  list = NULL; // link is the only way to the first node
  while (*link) { // want failed use-after-free
    struct node *n = *link;
    if (n->value == 7) {
      *link = n->next;
      free(n);
    } else {
      link = &n->next;
    }
  }
}
