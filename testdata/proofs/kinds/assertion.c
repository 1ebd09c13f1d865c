/* The sentence and the trace of assertion; assertion.txt holds them.
verdict: failed
obligations: 1
*/
#include <unitproof.h>
#include <stdlib.h>
#include <string.h>

enum mode { OFF, SLOW, FAST };
struct motor {
  enum mode mode;
  uint8_t speed[2];
};

static int clamp(int x, int lo, int hi) { return x < lo ? lo : x; }

int main(void) {
  int lo = nd_int(), hi = nd_int(), x = nd_int();
  assume(lo <= hi);
  struct motor m = {nd_bool() ? FAST : OFF, {1, 2}};
  unsigned at = nd_uint();
  assume(at < 2);
  int r = clamp(x, lo, hi);
  sassert(lo <= r && r <= hi); // want failed assertion
  sassert(m.mode != FAST || m.speed[at] == 1); // want failed assertion
  sassert(clamp(x, 0, 9) != 4); // want failed assertion
}
