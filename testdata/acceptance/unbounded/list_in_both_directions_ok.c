/*
A list is built at its end with links in both directions, walked backwards and freed forwards.
verdict: proved
obligations: 10
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
  for (struct node *n = last; n; n = n->before)
    n->seen = 1;
  while (first) {
    struct node *n = first;
    first = n->after;
    free(n);
  }
}
