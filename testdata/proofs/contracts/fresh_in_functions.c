// What a contract requires may be said by functions that say what is fresh: where that is assumed they make the pointers of
// their caller, and where a call has to meet it they look at what it passes.
// verdict: failed
#include <stdbool.h>
#include <stddef.h>

static bool is_buffer(const char *bytes, size_t size)
{
  return (0 < size) & __CPROVER_is_fresh(bytes, size);
}

bool is_place(const char *bytes, size_t size, size_t *at)
{
  return is_buffer(bytes, size) & (at == NULL || __CPROVER_is_fresh(at, sizeof *at));
}

// The place of the first space, and whether there is one.
bool find_space(const char *bytes, size_t size, size_t *at)
__CPROVER_requires(is_place(bytes, size, at))
__CPROVER_assigns(at != NULL: *at)
__CPROVER_ensures(at == NULL || *at <= size)
{
  size_t i;
  for (i = 0; i < size; i++)
  __CPROVER_assigns(i)
  __CPROVER_loop_invariant(i <= size)
  {
    if (bytes[i] == ' ')
      break;
  }
  if (at != NULL)
    *at = i;
  return i < size;
}

bool use_with_place(const char *bytes)
__CPROVER_requires(is_buffer(bytes, 8))
__CPROVER_assigns()
{
  size_t at = 0;
  return find_space(bytes, 8, &at) && at <= 8;
}

bool use_without_place(const char *bytes)
__CPROVER_requires(is_buffer(bytes, 8))
__CPROVER_assigns()
{
  return find_space(bytes, 8, NULL);
}

// The buffer has 8 bytes, not 9.
bool use_too_long(const char *bytes)
__CPROVER_requires(is_buffer(bytes, 8))
__CPROVER_assigns()
{
  return find_space(bytes, 9, NULL); // want failed precondition
}

// What is found is written into the very buffer that is searched.
bool use_one_for_both(size_t *both)
__CPROVER_requires(__CPROVER_is_fresh(both, 16))
__CPROVER_assigns(*both)
{
  return find_space((const char *)both, 16, both); // want failed precondition
}
