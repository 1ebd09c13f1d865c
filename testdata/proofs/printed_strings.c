/*
What printf reads is not followed, which is an assumption; what %n would write makes unknown what follows.
verdict: unknown
obligations: 5
*/
#include <stdio.h>
#include <unitproof.h>

int proof_numbers(void) {
  int x = nd_int();
  printf("%5d%% of %-*.2lf, %s\n", x, 3, 2.5, "all");
  sassert(x == x);
  return 0;
}

int proof_strings(void) {
  char text[2] = {'a', 'b'};
  printf("%s: %s\n", __func__, text);
  sassert(text[1] == 'b');
  return 0;
}

int proof_count(void) {
  int n = 0;
  sassert(n == 0);
  printf("%d%n\n", 12, &n);
  sassert(n == 2); // want unknown assertion
  return n;
}
