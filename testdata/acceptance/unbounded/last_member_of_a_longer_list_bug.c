/*
A loop appends behind a variable that points into a list. Only from its second iteration on that is the last member.
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
  while (nd_bool()) {
    struct node *n = malloc(sizeof *n);
    if (!n)
      break;
    n->value = nd_int();
    n->next = list;
    list = n;
  }
  struct node *last = list ? list->next : NULL;
  while (nd_bool()) {
    struct node *n = malloc(sizeof *n);
    if (!n)
      break;
    n->value = 0;
    n->next = NULL;
    sassert(last == NULL || last->next == NULL); // want failed assertion
    last = n;
  }
}
