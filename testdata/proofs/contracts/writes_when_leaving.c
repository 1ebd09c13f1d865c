// What a block does that ends with break, return or goto out of the loop is no part of an iteration: the frame of the loop
// need not name it. What an iteration that goes on writes, it has to.
// verdict: failed
#include <stdbool.h>
#include <stddef.h>

static int results;

size_t find(const char *text, size_t n, char c, bool *there)
__CPROVER_requires(__CPROVER_is_fresh(text, n) && __CPROVER_is_fresh(there, sizeof *there))
__CPROVER_assigns(*there)
__CPROVER_ensures(__CPROVER_return_value <= n)
__CPROVER_ensures(*there ==> __CPROVER_return_value < n)
{
  size_t i;
  *there = false;
  for (i = 0; i < n; i++)
  __CPROVER_assigns(i)
  __CPROVER_loop_invariant(i <= n && !*there)
  {
    if (text[i] == c) {
      *there = true;
      break;
    }
  }
  return i;
}

// In a loop in the loop, break leaves only that one; what return leaves, it leaves.
bool in_rows(const char *text, size_t n, bool *there)
__CPROVER_requires(n < 1000 && __CPROVER_is_fresh(text, n * 4) && __CPROVER_is_fresh(there, sizeof *there))
__CPROVER_assigns(*there)
{
  *there = false;
  for (size_t i = 0; i < n; i++)
  __CPROVER_assigns(i)
  __CPROVER_loop_invariant(i <= n)
  {
    for (size_t k = 0; k < 4; k++)
    __CPROVER_assigns(k)
    __CPROVER_loop_invariant(k <= 4)
    {
      if (text[i * 4 + k] == 'x') {
        *there = true;
        return true;
      }
    }
  }
  return false;
}

// The switch is left, and the loop goes on.
void in_a_switch(const char *text, size_t n, bool *there)
__CPROVER_requires(__CPROVER_is_fresh(text, n) && __CPROVER_is_fresh(there, sizeof *there))
__CPROVER_assigns(*there)
{
  *there = false;
  for (size_t i = 0; i < n; i++)
  __CPROVER_assigns(i)
  __CPROVER_loop_invariant(i <= n)
  {
    switch (text[i]) {
    case 'x': {
      *there = true; // want failed assigns
      break;
    }
    }
  }
}

// The loop within is left, and the loop around it goes on. Its body has no braces of its own.
void in_a_loop_without_braces(const char *text, size_t n, bool *there)
__CPROVER_requires(__CPROVER_is_fresh(text, n) && __CPROVER_is_fresh(there, sizeof *there))
__CPROVER_assigns(*there)
{
  *there = false;
  for (size_t i = 0; i < n; i++)
  __CPROVER_assigns(i)
  __CPROVER_loop_invariant(i <= n)
  {
    for (int k = 0; k < 2; k++)
      if (text[i] != 'x')
        k++;
      else {
        *there = true; // want failed assigns
        break;
      }
  }
}

// The function's own frame holds there, too.
bool writes_more(const char *text, size_t n)
__CPROVER_requires(__CPROVER_is_fresh(text, n))
__CPROVER_assigns()
{
  for (size_t i = 0; i < n; i++)
  __CPROVER_assigns(i)
  __CPROVER_loop_invariant(i <= n)
  {
    if (text[i] == 'x') {
      results = 1; // want failed assigns
      return true;
    }
  }
  return false;
}
