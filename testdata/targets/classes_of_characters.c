/*
The classes of <ctype.h>, through the tables of the C library.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows msp430-none
*/
#include <ctype.h>
#include <unitproof.h>

int main(void) {
  unsigned char c = nd_uint8_t();
  sassert((isdigit(c) != 0) == (c >= '0' && c <= '9'));
  sassert((isupper(c) != 0) == (c >= 'A' && c <= 'Z'));
  sassert((ispunct(c) != 0) <= (c > ' ' && c < 127));
  sassert(!isblank(c)); // want failed assertion
  return 0;
}
