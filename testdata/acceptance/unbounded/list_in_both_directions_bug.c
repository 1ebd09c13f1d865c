/*
The list is walked backwards from its end after its first member was freed, whose successor still points to it.
verdict: failed
obligations: 1
*/
#include <stdlib.h>
#include <unitproof.h>

struct node {
  struct node *before, *after;
  int seen;
};

int main(void) {
  struct node *first = NULL, *last = NULL;
  while (nd_bool()) {
    struct node *n = malloc(sizeof *n);
    if (!n)
      break;
    n->after = NULL;
    n->before = last;
    if (last)
      last->after = n;
    else
      first = n;
    last = n;
  }
  if (first) {
    struct node *n = first;
    first = n->after;
    if (n == last)
      last = NULL;
    free(n);
  }
  for (struct node *n = last; n; n = n->before)
    n->seen = 1; // want failed use-after-free
}
