/*
Pointers in the heap, whatever their width.
verdict: proved
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows msp430-none
*/
#include <unitproof.h>

#include <stdlib.h>
struct node {
  struct node *next;
  int value;
};

int main(void) {
  struct node *head = NULL;
  for (int i = 0; i < 3; i++) {
    struct node *n = malloc(sizeof *n);
    if (!n) return 0;
    n->next = head, n->value = i;
    head = n;
  }
  sassert(head->value == 2 && head->next->next->value == 0 && !head->next->next->next);
  return 0;
}
