/*
An uninterpreted function gives the same value for the same arguments, and any value for others.
verdict: failed
obligations: 4
*/
#include <assert.h>
#include <stdint.h>

uint64_t __CPROVER_uninterpreted_hash(const char *key, unsigned seed);
unsigned nondet_unsigned(void);

int main(void) {
  char a, b;
  unsigned s = nondet_unsigned(), t = nondet_unsigned();
  uint64_t first = __CPROVER_uninterpreted_hash(&a, s);
  assert(s != t || __CPROVER_uninterpreted_hash(&a, t) == first);
  assert(__CPROVER_uninterpreted_hash(&a, s) == first);
  assert(__CPROVER_uninterpreted_hash(&b, s) == first);     // want failed assertion
  assert(__CPROVER_uninterpreted_hash(&a, s + 1) != first); // want failed assertion
  return 0;
}
