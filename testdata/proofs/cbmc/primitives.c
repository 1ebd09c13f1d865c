/*
Primitives of CBMC without any declaration, as goto-cc takes them: sizes and offsets of 64 bits, one-argument
r_ok, and those that write.
verdict: failed
obligations: 14
*/
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

int nondet_int(void);

struct pair {
  int64_t a, b;
};

int main(void) {
  __CPROVER_size_t n;
  __CPROVER_assume(n >= 16 && n < (1UL << 40));
  char *p = malloc(n);
  __CPROVER_assume(p != NULL);
  char *q = malloc(8);
  __CPROVER_assume(q != NULL);
  __CPROVER_assert(__CPROVER_OBJECT_SIZE(p + 3) == n, "the whole object");
  __CPROVER_assert(__CPROVER_POINTER_OFFSET(p + 3) == 3, "from its start");
  __CPROVER_assert(__CPROVER_same_object(p, p + 7) && !__CPROVER_same_object(p, q), "objects");
  __CPROVER_assert(__CPROVER_POINTER_OBJECT(NULL) != __CPROVER_POINTER_OBJECT(q), "NULL is none of them");
  __CPROVER_precondition(__CPROVER_rw_ok(p, n), "all of it");

  struct pair *whole = (struct pair *)p, *half = (struct pair *)q;
  __CPROVER_assert(__CPROVER_w_ok(whole), "16 bytes");

  p[0] = q[0] = q[7] = 1;
  switch (nondet_int()) { // each case ends the execution, and has one mistake
  case 0:
    __CPROVER_assert(__CPROVER_r_ok(half), "8 of 16 bytes"); // want failed assertion
    break;
  case 1:
    __CPROVER_havoc_slice(q, 4);
    assert(q[7] == 1);
    assert(q[0] == 1); // want failed assertion
    break;
  case 2:
    __CPROVER_havoc_object(p + 5);
    assert(q[0] == 1);
    assert(p[0] == 1); // want failed assertion
    break;
  case 3:
    __CPROVER_havoc_slice(q, 9); // want failed out-of-bounds-read
    break;
  case 4:
    __CPROVER_havoc_object(p + n + 8192 - __CPROVER_OBJECT_SIZE(p)); // outside, but derived from p
    assert(q[0] == 1);
    break;
  }
  return 0;
}
