/*
 * verdict: failed
 * obligations: 20
 *
 * Clang marks no lifetime where a label of the same block stands before the declaration, nor where a jump leads past it. The
 * variable ends with its block all the same, and is another one when the block is entered again.
 */
#include <unitproof.h>

int proof_back_to_a_label(void) {
  int *p = 0, k = 0;
  {
    int x;
  back:
    x = k;
    p = &x;
  }
  if (k++ < 1) goto back;
  sassert(k == 2);
  return *p; // want failed use-after-scope
}

static void inc(int *p) { (*p)++; }

/* Going back to the label leaves the block at no time: it is the same variable. */
int proof_again_in_a_loop(void) {
  int *kept = 0;
  unsigned n = nd_uint();
  assume(n < 3);
  for (unsigned i = 0; i <= n; i++) {
    int tries = 0;
  again:;
    int x = (int)i, *q = &x;
    if (tries > 0) sassert(q == kept);
    inc(q);
    sassert(x == (int)i + 1);
    kept = q;
    if (tries++ < 2) goto again;
    sassert(*kept == (int)i + 1);
  }
  return *kept; // want failed use-after-scope
}

int proof_into_a_block(void) {
  int n = nd_int(), *p = 0, r = 0;
  assume(n >= 0 && n < 3);
  if (n == 1) goto in;
  {
    int x = 5, y = 1;
    p = &x;
  in:
    p = &x;
    if (n == 1) {
      x = 7;
      y = 3;
    }
    r = x + y;
  }
  sassert(r == (n == 1 ? 10 : 6));
  *p = 1; // want failed use-after-scope
  return 0;
}

int proof_fresh_in_each_iteration(void) {
  int s = 0;
  for (int i = 0; i < 3; i++) {
  again:;
    int x;
    if (i == 0) x = 4;
    s += x & 1;
    if (s > 100) goto again;
  }
  sassert(s == 0); // want failed assertion
  return 0;
}

int proof_left_or_never_entered(void) {
  int *p = 0, k = 0;
  bool enters = nd_bool();
  if (enters) {
  again:;
    int x = 1;
    p = &x;
    if (k++ < 1) goto again;
    sassert(*p == 1);
  }
  if (enters)
    return *p; // want failed use-after-scope
  return 0;
}
