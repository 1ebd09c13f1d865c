/*
The size of a struct follows from that of pointers.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows msp430-none
*/
#include <unitproof.h>

struct node {
  struct node *next;
  int value;
};

int main(void) {
  sassert(sizeof(struct node) == 2 * sizeof(void *));
  sassert(sizeof(struct node) == 16); // want failed assertion on i386-linux armhf-linux powerpc-linux msp430-none
  return 0;
}
