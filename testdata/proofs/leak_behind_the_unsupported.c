/*
So may a construct that is not understood.
verdict: unknown
flags: --check memory-leak
obligations: 1
*/
#include <setjmp.h>
#include <stdlib.h>
#include <unitproof.h>

static jmp_buf env;

int main(void) {
  char *p = malloc(10); // want unknown memory-leak
  if (nd_bool()) {
    setjmp(env);
    return 0;
  }
  free(p);
  return 0;
}
