/*
 * <klee/klee.h> as proofs for KLEE include it.
 * verdict: failed
 */
#include <assert.h>
#include <klee/klee.h>
int main(void) {
  int n = klee_range(2, 9, "n"), m = klee_int("m");
  uintptr_t c = klee_choose(3);
  klee_assert(n >= 2 && n < 9 && c < 3);
  klee_assert(c != 2); // want failed assertion
  if (m == 5) klee_report_error(__FILE__, __LINE__, "five", "err"); // want failed assertion
  if (m == 6) klee_silent_exit(0);
  if (m == 7) klee_abort();
  klee_prefer_cex(&m, m == 1);
  assert(m != 6 && m != 7);
  if (klee_is_symbolic(m)) assert(m != 8); // want unknown assertion
}
