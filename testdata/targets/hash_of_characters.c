/*
A hash of characters differs by the sign of char, unless it takes them as unsigned char.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux x86_64-windows riscv64-linux
*/
#include <unitproof.h>

static uint32_t hash(const char *s) {
  uint32_t h = 5381;
  for (; *s; s++) h = h * 33 ^ (uint32_t)*s;
  return h;
}

static uint32_t portable(const char *s) {
  uint32_t h = 5381;
  for (; *s; s++) h = h * 33 ^ (unsigned char)*s;
  return h;
}

int main(void) {
  char s[3] = {nd_char(), nd_char(), 0};
  assume(s[0] != 0);
  sassert(hash(s) == portable(s)); // want failed assertion on x86_64-linux i386-linux x86_64-windows
  sassert(portable("\xe9") == (5381u * 33 ^ 0xe9));
  return 0;
}
