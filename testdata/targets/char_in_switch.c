/*
A byte above 127 is a negative case label where char has a sign; a conversion to unsigned char decides it everywhere.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows riscv64-linux
*/
#include <unitproof.h>

static int kind(char c) {
  switch (c) {
  case '\xff': return 1;
  case 0xfe: return 2;
  default: return c > '~' ? 3 : 0;
  }
}

int main(void) {
  char c = nd_char();
  sassert(kind('\xff') == 1);
  sassert((unsigned char)c != 0xfe || kind(c) == 2); // want failed assertion on x86_64-linux i386-linux x86_64-windows
  sassert((unsigned char)c != 200 || kind(c) == 3); // want failed assertion on x86_64-linux i386-linux x86_64-windows
  return 0;
}
