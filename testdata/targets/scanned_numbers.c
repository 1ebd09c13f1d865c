/*
sscanf writes numbers as wide as the machine's long.
verdict: proved
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows
*/
#include <unitproof.h>

#include <stdio.h>
int main(void) {
  struct {
    long l;
    int guard;
    short h;
    short next;
  } s = {0, 77, 0, 55};
  sassert(sscanf("12 34", "%ld %hd", &s.l, &s.h) == 2);
  sassert(s.l == 12 && s.h == 34 && s.guard == 77 && s.next == 55);
  return 0;
}
