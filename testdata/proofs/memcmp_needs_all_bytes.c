/*
memcmp compares objects of n bytes: they have to be there also behind the first difference, which
real libraries read in words. memchr stops where it finds something.
verdict: failed
obligations: 6
*/
#include <string.h>
#include <unitproof.h>

int main(void) {
  char a[4] = "abc", b[8] = "xbcdefg";
  size_t n = nd_size_t();
  assume(n <= 8);
  if (nd_bool())
    sassert(memcmp(a, b, n) != 0 || n == 0); // want failed out-of-bounds-read
  sassert(memcmp(a, b, 4) != 0);
  sassert(memcmp(a + 4, (char *)0, 0) == 0);
  sassert(memchr(a, 'b', 1000) == a + 1);
  return 0;
}
