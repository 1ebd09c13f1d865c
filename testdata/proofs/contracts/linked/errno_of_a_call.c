/*
A function that may set errno, in a file that says nothing of errno. Its contract stands for it.
verdict: failed
obligations: 2
*/
#include <errno.h>
#include <unitproof.h>
int refill(int *level);
void call_proof(void) {
  int level;
  errno = 0;
  refill(&level);
  sassert(level == 7);
  sassert(errno == 0); // want failed assertion
}
