// A requires clause of two alternatives allows each of them, whichever is written first: a predicate that provides memory
// does so in some executions, and not in those of the other alternative.
// verdict: failed
#include <stdbool.h>
#include <stddef.h>

static bool cell(const int *p) { return __CPROVER_is_fresh(p, sizeof *p); }

int first(const int *p)
__CPROVER_requires(cell(p) || p == NULL)
__CPROVER_assigns()
{
  return *p; // want failed null-dereference
}

int second(const int *p)
__CPROVER_requires(p == NULL || cell(p))
__CPROVER_assigns()
{
  return *p; // want failed null-dereference
}

int looked_at(const int *p)
__CPROVER_requires(cell(p) || p == NULL)
__CPROVER_assigns()
{
  return p == NULL ? 0 : *p;
}
