/*
The loop is left after one iteration, or after many. What the first one leaves in flag, the invariant has to allow: it is
no state that only an arbitrary iteration would lead to.
flags: --contract ends
verdict: failed
*/
int ends(const char *text, int n)
__CPROVER_requires(1 <= n && n < 1000000 && __CPROVER_is_fresh(text, (unsigned)n))
__CPROVER_ensures(__CPROVER_return_value ==> text[0] == 'a') // want bounded postcondition
{
  int flag = 0;
  for (int i = 0; i < n; i++)
  __CPROVER_assigns(i, flag)
  __CPROVER_loop_invariant(0 <= i && i <= n && flag < 2) // want failed loop-invariant
  __CPROVER_decreases(n - i)
  {
    if (text[i] != 'a')
      return 0;
    flag = n == 1 ? 2 : 1;
  }
  return flag;
}
