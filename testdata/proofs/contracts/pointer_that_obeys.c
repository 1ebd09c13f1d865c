// verdict: failed
// obligations: 20
// A pointer that obeys a contract leads to the function that has it: what is called through it is that contract. A
// caller may pass that function and no other one.
#include <stddef.h>
#include <unitproof.h>

typedef size_t (*step)(unsigned char *cell, size_t n);

// Nobody defines it: it is what a step may do.
size_t any_step(unsigned char *cell, size_t n)
__CPROVER_requires(n > 0 && __CPROVER_is_fresh(cell, n))
__CPROVER_assigns(cell[0])
__CPROVER_ensures(__CPROVER_return_value <= n && cell[0] == 7);

size_t twice(unsigned char *cell, size_t n, step f)
__CPROVER_requires(n > 0 && n < 1000 && __CPROVER_is_fresh(cell, n))
__CPROVER_requires(__CPROVER_obeys_contract(f, any_step))
__CPROVER_assigns(cell[0])
__CPROVER_ensures(__CPROVER_return_value <= 2 * n && cell[0] == 7)
{
  size_t a = f(cell, n);
  return a + f(cell, n);
}

// The contract says nothing of the other cells, and the frame keeps them; its second result may be the larger one.
size_t wrong(unsigned char *cell, size_t n, step f)
__CPROVER_requires(n > 1 && n < 1000 && __CPROVER_is_fresh(cell, n))
__CPROVER_requires(__CPROVER_obeys_contract(f, any_step))
__CPROVER_assigns(cell[0], cell[1])
__CPROVER_ensures(cell[1] == __CPROVER_old(cell[1]))
__CPROVER_ensures(__CPROVER_return_value <= n) // want failed postcondition
{
  size_t a = f(cell, n);
  return a + f(cell, n);
}

// What the contract requires is asked at the call, and its frame is part of the caller's.
void asks(unsigned char *cell, size_t n, step f)
__CPROVER_requires(n < 1000 && (n == 0 || __CPROVER_is_fresh(cell, n)))
__CPROVER_requires(__CPROVER_obeys_contract(f, &any_step))
__CPROVER_assigns()
{
  f(cell, n); // want failed precondition // want failed assigns
}

// Perhaps there is no function.
size_t perhaps(unsigned char *cell, size_t n, step f)
__CPROVER_requires(n > 0 && n < 1000 && __CPROVER_is_fresh(cell, n))
__CPROVER_requires(f == NULL || __CPROVER_obeys_contract(f, any_step))
__CPROVER_assigns(cell[0])
__CPROVER_ensures(__CPROVER_return_value <= n)
__CPROVER_ensures(f == NULL || cell[0] == 7)
{
  if (f == NULL)
    return 0;
  return f(cell, n);
}

static size_t keeps(unsigned char *cell, size_t n) { return cell[0] = 7, n; }

// What is passed has to be the function itself: another one that does the same is not known to.
void passes(unsigned char *cell)
__CPROVER_requires(__CPROVER_is_fresh(cell, 4))
__CPROVER_assigns(cell[0])
{
  size_t n = twice(cell, 4, any_step);
  sassert(n <= 8 && cell[0] == 7);
  twice(cell, 4, keeps); // want failed precondition
}

// A table of functions: the members obey, by a function that says so.
struct table {
  step first, second;
};

static _Bool good(struct table *t) {
  return __CPROVER_is_fresh(t, sizeof *t) && __CPROVER_obeys_contract(t->first, any_step) &&
         (t->second == NULL || __CPROVER_obeys_contract(t->second, any_step));
}

size_t through(struct table *t, unsigned char *cell)
__CPROVER_requires(good(t) && __CPROVER_is_fresh(cell, 4))
__CPROVER_assigns(cell[0])
__CPROVER_ensures(__CPROVER_return_value <= 8)
{
  return t->first(cell, 4) + (t->second ? t->second(cell, 4) : 0);
}

// A result that obeys.
step chosen(int which)
__CPROVER_assigns()
__CPROVER_ensures(which == 0 ? __CPROVER_return_value == NULL : __CPROVER_obeys_contract(__CPROVER_return_value, any_step))
{
  return which == 0 ? NULL : any_step;
}

size_t calls_chosen(unsigned char *cell, int which)
__CPROVER_requires(__CPROVER_is_fresh(cell, 4))
__CPROVER_assigns(cell[0])
__CPROVER_ensures(__CPROVER_return_value <= 4)
{
  step s = chosen(which);
  return s == NULL ? 0 : s(cell, 4);
}
