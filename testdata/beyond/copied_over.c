/*
memcpy of a block that is too long for the first half of a table, late.
verdict: failed
obligations: 1
*/
#include <string.h>
#include <unitproof.h>

struct table { unsigned char first[8], second[8]; };
int main(void) {
  struct table t = {0};
  unsigned char src[16];
  memset(src, 9, sizeof src);
  unsigned n = nd_uint32_t();
  assume(n <= 1000);
  for (unsigned i = 0; i < n; i++)
    memcpy(&t, src, i < 80 ? 8 : 12);
  sassert(t.second[0] == 0); // want failed assertion
  return 0;
}
