/*
A static function of another file is called by the name that goto-cc --export-file-local-symbols gives it.
verdict: proved
obligations: 2
*/
#include <assert.h>

unsigned __CPROVER_file_local_ring_c_wrapped(unsigned index, unsigned size);
unsigned nondet_unsigned(void);

void wrapped_harness(void) {
  unsigned size = nondet_unsigned(), index = nondet_unsigned();
  __CPROVER_assume(0 < size && size < 1000 && index < 2 * size);
  unsigned at = __CPROVER_file_local_ring_c_wrapped(index, size);
  assert(at < size);
  assert((index - at) % size == 0);
}
