/*
A proof that proves nothing: the assumptions contradict each other, so no execution gets to the
assertion, which is wrong for every total that is not a multiple of 100.
verdict: vacuous
obligations: 1
*/
#include <unitproof.h>

static unsigned share(unsigned part, unsigned total) { return part * 100 / total; }

int main(void) {
  unsigned part = nd_uint(), total = nd_uint();
  assume(total > 0 && total <= 1000);
  assume(part > 2000);
  assume(part <= total);

  unsigned percent = share(part, total);

  sassert(percent * total == part * 100); // want vacuous assertion
  return 0;
}
