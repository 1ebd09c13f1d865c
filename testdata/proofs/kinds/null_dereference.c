/* The sentence and the trace of null-dereference; null_dereference.txt holds them.
verdict: failed
obligations: 1
*/
#include <unitproof.h>
#include <stdlib.h>
#include <string.h>

struct node {
  struct node *next;
  int value;
};

static int second(struct node *n) { return n->next->value; } // want failed null-dereference

int main(void) {
  struct node b = {NULL, 2}, a = {nd_bool() ? &b : NULL, 1};
  sassert(second(&a) == 2);
}
