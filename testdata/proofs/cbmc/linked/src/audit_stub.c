#include "ring.h"

unsigned audits;

/* Stands for the static function audit of ring.c, whose body the proof removes. */
int __CPROVER_file_local_ring_c_audit(struct ring *r) {
  audits++;
  __CPROVER_assume(r->count <= RING_SIZE);
  return 1;
}
