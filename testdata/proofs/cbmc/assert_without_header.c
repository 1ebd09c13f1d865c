/*
A call of assert that no header declares is an assertion all the same: it must not count as a function
that is missing.
verdict: failed
obligations: 4
*/
int nondet_int(void);

int main(void) {
  int x = nondet_int(), *p = &x;
  __CPROVER_assume(x > 3);
  assert(x > 2);
  assert(p);
  assert(x != 7); // want failed assertion
  assert(x - 3);
  return 0;
}
