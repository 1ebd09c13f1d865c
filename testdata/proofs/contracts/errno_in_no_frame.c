/* errno counts in no frame, whichever function of the library sets it: malloc (ENOMEM), sqrt (EDOM) and read alike. A call
   that is replaced by a contract may leave any number in it.
   verdict: failed */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>
#include <unitproof.h>

void *make(unsigned n) __CPROVER_requires(n > 0 && n < 100) __CPROVER_assigns() { return malloc(n); }

double root(double d) __CPROVER_assigns() { return sqrt(d); }

int get(int fd) __CPROVER_assigns() {
  char c;
  return read(fd, &c, 1) == 1 ? c : -1;
}

int main(void) {
  errno = 0;
  get(0);
  sassert(errno == 0); // want failed assertion
}
