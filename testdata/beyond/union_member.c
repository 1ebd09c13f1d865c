/*
A write to one member of a union changes the other.
verdict: failed
obligations: 1
*/
#include <unitproof.h>

union u {
  unsigned word;
  unsigned char byte[4];
};
int main(void) {
  union u u = {0};
  unsigned n = nd_uint32_t();
  assume(n <= 1000);
  for (unsigned i = 0; i < n; i++)
    if (i == 101)
      u.byte[1] = 1;
  sassert(u.word == 0); // want failed assertion
  return 0;
}
