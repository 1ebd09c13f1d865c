/* verdict: failed
   Contracts of loops that walk by pointer: what an invariant says of a pointer gives it its object. In the last two
   functions something is wrong. */
#include <unitproof.h>

size_t length(const char *s, size_t n)
unitproof_requires(n < 1000 && unitproof_is_fresh(s, n + 1) && s[n] == 0)
unitproof_assigns()
unitproof_ensures(unitproof_return_value <= n)
{
  const char *p = s;
  while (*p)
  unitproof_assigns(p)
  unitproof_loop_invariant(unitproof_pointer_in_range(s, p, s + n))
    p++;
  return p - s;
}

size_t count(const char *s, size_t n, char c)
unitproof_requires(n < 1000 && unitproof_is_fresh(s, n))
unitproof_assigns()
unitproof_ensures(unitproof_return_value <= n)
{
  size_t k = 0;
  const char *p = s, *e = s + n;
  while (p != e)
  unitproof_loop_invariant(unitproof_pointer_in_range(s, p, e) && k <= (size_t)(p - s))
  {
    if (*p == c) k++;
    p++;
  }
  return k;
}

void clear(char *s, size_t n)
unitproof_requires(n < 1000 && unitproof_is_fresh(s, n))
unitproof_assigns(unitproof_object_upto(s, n))
{
  char *p = s + n;
  while (p > s)
  unitproof_assigns(p, unitproof_object_upto(s, n))
  unitproof_loop_invariant(__CPROVER_same_object(p, s) && s <= p && p <= s + n)
    *--p = 0;
}

size_t squeeze(char *s, size_t n)
unitproof_requires(n < 1000 && unitproof_is_fresh(s, n))
unitproof_assigns(unitproof_object_upto(s, n))
unitproof_ensures(unitproof_return_value <= n)
{
  char *r = s, *w = s, *e = s + n;
  while (r < e)
  unitproof_assigns(r, w, unitproof_object_upto(s, n))
  unitproof_loop_invariant(unitproof_pointer_in_range(s, w, r) && unitproof_pointer_in_range(s, r, e))
  {
    if (*r != ' ') *w++ = *r;
    r++;
  }
  return w - s;
}

void fill(int *a, size_t n)
unitproof_requires(n < 1000 && unitproof_is_fresh(a, n * sizeof *a))
unitproof_assigns(unitproof_object_upto(a, n * sizeof *a))
{
  for (int *p = a; p < a + n; p++)
  unitproof_loop_invariant(unitproof_pointer_in_range(a, p, a + n) && ((char *)p - (char *)a) % sizeof *a == 0)
    *p = 7;
}

const char *skip_spaces(const char *p, const char *end, size_t n)
unitproof_requires(n < 1000 && unitproof_is_fresh(p, n) && end == p + n)
unitproof_assigns()
unitproof_ensures(unitproof_pointer_in_range(unitproof_old(p), unitproof_return_value, end))
{
  while (p < end && *p == ' ')
  unitproof_loop_invariant(unitproof_pointer_in_range(unitproof_loop_entry(p), p, end))
    p++;
  return p;
}

size_t one_too_many(const char *s, size_t n, char c)
unitproof_requires(n < 1000 && unitproof_is_fresh(s, n))
unitproof_assigns()
{
  size_t k = 0;
  const char *p = s, *e = s + n;
  while (p <= e)
  unitproof_loop_invariant(unitproof_pointer_in_range(s, p, e))
  {
    if (*p == c) k++;  // want failed out-of-bounds-read
    p++;
  }
  return k;
}

void beyond_its_range(char *s, size_t n)
unitproof_requires(n > 8 && n < 1000 && unitproof_is_fresh(s, n))
unitproof_assigns(unitproof_object_upto(s, n))
{
  char *p = s, *half = s + n / 2;
  while (p < s + n)
  unitproof_assigns(p, unitproof_object_upto(s, n))
  unitproof_loop_invariant(unitproof_pointer_in_range(s, p, half))  // want failed loop-invariant
    *p++ = 0;
}
