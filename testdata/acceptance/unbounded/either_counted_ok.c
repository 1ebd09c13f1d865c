/*
Some iterations count nothing, so two counters together are at most the number of iterations.
verdict: proved
obligations: 2
*/
#include <unitproof.h>

int main(void) {
  unsigned limit = nd_uint();
  assume(limit <= 70000);
  int sent = 0, lost = 0;
  for (unsigned tick = 0; tick < limit; tick++) {
    int event = nd_int();
    if (event < 0)
      continue;
    if (event & 1)
      sent++;
    else
      lost++;
  }
  sassert(sent + lost <= 70000);
}
