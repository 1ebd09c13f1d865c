/*
A block of 128 bytes has room for a number of nodes that depends on the size of pointers.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows msp430-none
*/
#include <unitproof.h>

struct node { struct node *next, *previous; void *value; };
static union { char bytes[128]; struct node first; } block;

static int link_all(void) {
  struct node *p = &block.first;
  int n = 0;
  for (; (char *)(p + 1) <= block.bytes + sizeof block.bytes; p++, n++) p->next = p + 1;
  return n;
}

int main(void) {
  int n = link_all(), k = nd_int();
  assume(k >= 0 && k < n);
  sassert((&block.first)[k].next == &block.first + k + 1);
  sassert(n != 5); // want failed assertion on x86_64-linux s390x-linux x86_64-windows
  sassert(n != 10); // want failed assertion on i386-linux armhf-linux powerpc-linux
  sassert(n != 21); // want failed assertion on msp430-none
  return 0;
}
