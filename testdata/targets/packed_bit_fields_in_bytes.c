/*
The first byte of bit-fields without padding.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux
*/
#include <string.h>
#include <unitproof.h>

struct __attribute__((packed)) fields {
  unsigned a : 5, b : 11;
};

int main(void) {
  struct fields f = {nd_uint() & 15, 0};
  unsigned char first;
  memcpy(&first, &f, 1);
  sassert(first == f.a); // want failed assertion on powerpc-linux s390x-linux
  return 0;
}
