/*
errno is a macro that calls a function of the C library: __errno_location, __errno or _errno.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows msp430-none
*/
#include <unitproof.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  errno = 0;
  long n = strtol("3000000000", NULL, 10);
  sassert(errno == (sizeof(long) == 4 ? ERANGE : 0));
  sassert(n == 3000000000); // want failed assertion on i386-linux armhf-linux powerpc-linux x86_64-windows msp430-none
  char text[12];
  snprintf(text, sizeof text, "%d", 42);
  sassert(text[0] == '4' && text[1] == '2' && text[2] == 0);
  return 0;
}
