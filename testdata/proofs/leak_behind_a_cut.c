/*
A loop that was cut may lead to a return without the last pointer.
verdict: bounded
flags: --check memory-leak --unwind 3
obligations: 1
*/
#include <stdlib.h>
#include <unitproof.h>

static char *kept;

int main(void) {
  kept = malloc(10); // want bounded memory-leak
  char *p = kept;
  for (int i = 0; nd_bool(); i++) // want bounded unwinding // want bounded signed-overflow
    if (i == 10) {
      kept = NULL;
      return 0;
    }
  return p == NULL;
}
