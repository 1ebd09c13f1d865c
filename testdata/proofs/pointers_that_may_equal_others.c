/*
An arbitrary pointer of SV-COMP's may be equal to the address of any object, and so may what CBMC's and ESBMC's proofs call
nondet_..., uninitialised pointers, and those that memhavoc or klee_make_symbolic made. nd_voidp() is an address in no object.
verdict: failed
obligations: 12
*/
#include <stdlib.h>
#include <unitproof.h>

void *__VERIFIER_nondet_pointer(void);
char *nondet_voidp(void);
void klee_make_symbolic(void *p, size_t n, const char *name);
struct pair { int *a, *b; };
struct pair nondet_pair(void);
int global;

int main(void) {
  char *heap = malloc(8);
  if (!heap) return 0;
  int local = 0;
  switch (nd_int()) {
  case 0: sassert(__VERIFIER_nondet_pointer() != heap); break; // want failed assertion
  case 1: sassert(__VERIFIER_nondet_pointer() != &local); break; // want failed assertion
  case 2: sassert(__VERIFIER_nondet_pointer() != &global); break; // want failed assertion
  case 3: sassert(__VERIFIER_nondet_pointer() != (void *)main); break; // want failed assertion
  case 4: sassert(nondet_voidp() != heap + 3); break; // want failed assertion
  case 5: sassert(nondet_pair().b != &local); break; // want failed assertion
  case 6: {
    char *p;
    klee_make_symbolic(&p, sizeof p, "p");
    sassert(p != heap); // want failed assertion
    break;
  }
  case 7: {
    char *p = 0;
    memhavoc(&p, sizeof p);
    sassert(p != heap); // want failed assertion
    break;
  }
  case 8: {
    char *p;
    sassert(p != heap); // want failed assertion
    break;
  }
  case 9: sassert(nd_voidp() != heap); break;
  case 10: sassert(nd_voidp() != &local && nd_voidp() != &global); break;
  case 11: sassert(nd_voidp() != heap + 3); break;
  }
}
