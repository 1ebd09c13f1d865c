/*
A call through a pointer of another type may see more of a small integer than its bits: callers and
callees extend it to an int by its own sign.
verdict: failed
obligations: 4
*/
#include <stdint.h>
#include <unitproof.h>

static short narrow(short x) { return x; }
static signed char tiny(int x) { return (signed char)x; }
static uint8_t byte(int x) { return (uint8_t)x; }
static int plain(int x) { return x; }

typedef int (*handler)(int);
typedef int (*of_short)(short);

int main(void) {
  int x = nd_int();
  assume(x >= -100 && x <= 100);
  handler a = (handler)narrow, b = (handler)tiny, c = (handler)byte;
  of_short d = (of_short)plain;
  sassert(a(x) == x);
  sassert(b(x) == x);
  sassert(c(x) == (x & 255));
  sassert(d((short)x) == x);
  sassert(c(x) == x); // want failed assertion
  return 0;
}
