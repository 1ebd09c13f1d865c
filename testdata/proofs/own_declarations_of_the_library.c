/*
Declarations of library functions with types of the program's own: what can be passed so is, what cannot is unknown.

verdict: unknown
*/
#include <unitproof.h>

void memcpy(void *to, const void *from, unsigned n);
void memset(void *, char, short);
int memmove(int to, int from, int n);
double malloc(int n);
int calloc(int, int);
void realloc();

static void narrow(unsigned n) {
  char a[8] = {1}, b[8] = {2};
  assume(n <= 8);
  memcpy(b, a, n);
  if (n) sassert(b[0] == 1);
  memset(b, 3, n);
  sassert(n < 8 || b[7] == 3);
}

static void addresses_as_numbers(void) {
  char a[4] = {1}, b[4] = {2};
  memmove((int)(long)b, (int)(long)a, 4);
  sassert(b[0] == 1); // want unknown assertion
}

static void results(void) {
  sassert(malloc(3) > 2); // want unknown assertion
}

static void narrow_results(void) {
  sassert(calloc(3, 4) > 2); // want unknown assertion
}

static void too_few(void) {
  char a[4] = {1};
  realloc(a);
  sassert(a[0] == 1); // want unknown assertion
}

int main(void) {
  switch (nd_int()) {
  case 0: narrow(nd_uint()); break;
  case 1: addresses_as_numbers(); break;
  case 2: results(); break;
  case 3: narrow_results(); break;
  default: too_few();
  }
  return 0;
}
