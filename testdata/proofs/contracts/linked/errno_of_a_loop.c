/*
A loop whose late iterations may set errno, in a file that says nothing of errno. Cut by its contract, it hides them; an execution
shows them.
verdict: failed
obligations: 1
*/
#include <errno.h>
#include <unitproof.h>
void drain(unsigned n);
void loop_proof(void) {
  errno = 0;
  drain(nd_uint());
  sassert(errno == 0); // want failed assertion
}
