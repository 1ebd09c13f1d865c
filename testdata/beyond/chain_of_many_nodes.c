/*
A chain of 258 nodes, and a list that is freed twice. That happens after three thousand million iterations only. No
execution here comes so far: nothing is shown, and nothing may be proved.
verdict: failed
obligations: 1
*/
#include <stdlib.h>
#include <unitproof.h>

struct node {
  struct node *next;
  int value;
};

#define NODE n = malloc(sizeof *n); if (!n) return 0; n->next = chain; chain = n;
#define FOUR(x) x x x x

int main(void) {
  unsigned long count = 0;
  while (nd_bool())
    count++;
  if (count < 3000000000)
    return 0;
  struct node *n, *chain = NULL, *list = NULL;
  FOUR(FOUR(FOUR(FOUR(NODE))))
  NODE NODE
  while (nd_bool()) {
    n = malloc(sizeof *n);
    if (!n)
      return 0;
    n->next = list;
    list = n;
  }
  for (n = list; n && n->next; n = n->next)
    ;
  if (list) {
    free(list);
    free(list); // want failed double-free
  }
}
