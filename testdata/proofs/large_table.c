/*
A table of 20,000 elements that is filled by a loop, read at any index and behind a write at any other.
verdict: failed
obligations: 12
*/
#include <unitproof.h>

#define N 20000
static unsigned short table[N];

int main(void) {
  for (unsigned i = 0; i < N; i++)
    table[i] = (unsigned short)(i * 7u);
  unsigned k = nd_uint(), j = nd_uint();
  assume(k < N && j < N);
  sassert(table[k] == (unsigned short)(k * 7u));
  table[j] = 1;
  sassert(j == k || table[k] == (unsigned short)(k * 7u));
  sassert(table[k] != 1232); // want failed assertion
  return 0;
}
