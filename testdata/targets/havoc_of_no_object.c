/*
havoc_object of a pointer to no object changes nothing and is no violation, as in CBMC; of one to an object, all of it.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux
obligations: 13
*/
#include <assert.h>
#include <stdlib.h>

struct context {
  int *state;
  int size;
};

int known;

int main(void) {
  struct context *never_set, *null = NULL, *number = (struct context *)0x1000;
  int choice, local = 3;
  known = 3;
  __CPROVER_havoc_object(never_set);
  __CPROVER_havoc_object(null);
  __CPROVER_havoc_object(number);
  assert(known == 3 && local == 3);

  struct context *c = malloc(sizeof *c);
  __CPROVER_assume(c != NULL);
  c->size = 1;
  struct context *one = choice ? c : number; // an object on one way, and none on the other
  __CPROVER_havoc_object(one);
  assert(choice || c->size == 1);
  assert(c->size == 1); // want failed assertion
  return 0;
}
