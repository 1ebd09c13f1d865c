/*
 * verdict: unknown
 *
 * A conversion that the models lack: nothing is known of what follows, and what does not get there is proved.
 */
#include <stdio.h>
#include <unitproof.h>

int main(void) {
  char b[16];
  int n = 0;
  sassert(n == 0);
  if (nd_bool()) {
    sprintf(b, "%n", &n); // want unknown out-of-bounds-read // want unknown out-of-bounds-write
    sassert(n == 0); // want unknown assertion
  }
  return 0;
}
