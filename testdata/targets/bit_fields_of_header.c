/*
A header of a protocol as bit-fields.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows msp430-none
*/
#include <unitproof.h>

struct header {
  uint8_t length : 4, version : 4;
};

int main(void) {
  uint8_t byte = 0x45;
  struct header *h = (struct header *)&byte;
  if (nd_bool()) sassert(h->version == 4); // want failed assertion on powerpc-linux s390x-linux
  if (nd_bool()) sassert(h->length == 5); // want failed assertion on powerpc-linux s390x-linux
  sassert(h->version + h->length == 9);
  return 0;
}
