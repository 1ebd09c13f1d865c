/*
An event may be sent and lost, so two counters together exceed the number of iterations.
verdict: failed
obligations: 1
*/
#include <unitproof.h>

int main(void) {
  unsigned limit = nd_uint();
  assume(limit <= 3);
  int sent = 0, lost = 0;
  for (unsigned tick = 0; tick < limit; tick++) {
    int event = nd_int();
    if (event < 0)
      continue;
    if (event & 1)
      sent++;
    if (event % 3 == 0)
      lost++;
  }
  sassert(sent + lost <= 3); // want failed assertion
}
