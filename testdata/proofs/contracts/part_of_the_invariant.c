/* verdict: proved
   The clauses of each loop are not sufficient for a proof. Induction finds the missing invariants. It cuts a loop with
   a contract at the second arrival at its head, or at the third one. */
#include <stdlib.h>

#include <unitproof.h>

static unsigned char *some_bytes(unsigned n) {
  assume(n <= 100000);
  unsigned char *s = malloc(n);
  assume(s != NULL);
  return s;
}

void counter_proof(void) {
  unsigned n = nd_uint(), i = 0, s = 0;
  assume(n <= 100000);
  while (i < n)
  __CPROVER_loop_invariant(i <= n)
  {
    i++;
    s += 2;
  }
  sassert(s == 2 * n);
}

void pointer_proof(void) {
  unsigned n = nd_uint(), k = 0;
  assume(n < 100000);
  unsigned char *b = some_bytes(n + 1), *p = b;
  b[n] = 0;
  while (*p)
  __CPROVER_loop_invariant(k <= n)
  {
    p++;
    k++;
  }
  sassert(p <= b + n);
}

void only_a_frame_proof(void) {
  unsigned n = nd_uint(), i = 0, k = 0;
  unsigned char *s = some_bytes(n);
  while (i < n)
  __CPROVER_assigns(i, k, __CPROVER_object_upto(s, n))
  {
    if (s[i] > 4) s[k++] = s[i];
    i++;
  }
  sassert(k <= n);
}

void at_its_end_proof(void) {
  unsigned n = nd_uint(), i = 0, s = 5;
  assume(n <= 100000 && n > 0);
  do
  __CPROVER_loop_invariant(s >= 5)
  {
    i++;
    s += 3;
  } while (i < n);
  sassert(s == 3 * n + 5);
}

void on_entry_proof(void) {
  unsigned n = nd_uint(), i = 0, k = nd_uint();
  assume(n < 100000 && k < 100000);
  while (i < n)
  __CPROVER_loop_invariant(k >= __CPROVER_loop_entry(k))
  {
    if (nd_bool()) k++;
    i++;
  }
  sassert(k <= n + 100000);
}

void one_in_the_other_proof(void) {
  unsigned n = nd_uint(), s = 0;
  assume(n < 10000);
  for (unsigned i = 0; i < n; i++)
  __CPROVER_loop_invariant(i <= n)
  {
    for (unsigned j = 0; j < i; j++)
    __CPROVER_loop_invariant(j <= i)
      if (nd_bool()) s = s == 5 ? 0 : s + 1;
    sassert(s <= 5);
  }
}

void elements_proof(void) {
  unsigned n = nd_uint(), k = nd_uint(), i = 0, m = 0;
  unsigned char *s = some_bytes(n);
  assume(k < n);
  while (i < n)
  __CPROVER_loop_invariant(__CPROVER_forall { unsigned q; q < i ==> s[q] == 0 })
  {
    s[i] = 0;
    i++;
    m++;
  }
  sassert(s[k] == 0 && m == n);
}

void replaced_proof(void) {
  unsigned n = nd_uint(), i = 0;
  assume(n < 100000);
  unsigned char *b = some_bytes(4);
  while (i < n)
  __CPROVER_assigns(i, b)
  {
    unsigned char *c = malloc(4);
    if (!c) break;
    free(b);
    b = c;
    b[1] = 1;
    i++;
  }
  sassert(i <= n);
}

void filled_proof(void) {
  unsigned n = nd_uint(), i;
  assume(n > 0);
  unsigned char *a = some_bytes(n), v = nd_uchar();
  for (i = 0; i < n; i++)
  __CPROVER_assigns(i, __CPROVER_object_whole(a))
  __CPROVER_loop_invariant(i <= n)
    a[i] = v;
  sassert(a[0] == v);
}
