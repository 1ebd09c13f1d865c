/*
What the proof's own file defines stands for the removed body, static or not, whoever calls it.
verdict: proved
obligations: 2
*/
#include <assert.h>
#include "src/ring.h"

unsigned logged;
unsigned log_entry(unsigned code) { return logged = code; }
unsigned __CPROVER_file_local_ring_c_wrapped(unsigned index, unsigned size) { return index % size; }

void stand_in_proof(void) {
  struct ring r;
  __CPROVER_assume(r.head < RING_SIZE);
  int put = ring_put(&r, 7);
  assert(put == !logged);
}
