/*
A proof in ESBMC's dialect, whose primitives need no declaration.
verdict: failed
obligations: 3
*/
int nondet_int(void);

int main(void) {
  int x = nondet_int();
  __ESBMC_assume(x > 3);
  __ESBMC_assert(x != 3, "above three");
  __ESBMC_assert(x != 17, "is not seventeen"); // want failed assertion
  if (x == 18) __ESBMC_assert(0, "eighteen");  // want failed assertion
}
