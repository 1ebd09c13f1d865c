/*
snprintf reads arguments as wide as the machine's long and size_t.
verdict: proved
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows
*/
#include <unitproof.h>

#include <stdio.h>
#include <string.h>
int main(void) {
  char text[40];
  size_t n = 7;
  int k = snprintf(text, sizeof text, "%d %ld %lld %zu %x", 1, 2L, 3LL, n, 255u);
  sassert(k == 10);
  sassert(strcmp(text, "1 2 3 7 ff") == 0);
  return 0;
}
