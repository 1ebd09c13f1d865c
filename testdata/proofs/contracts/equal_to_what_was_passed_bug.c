// verdict: failed
// obligations: 10
// A result that is equal to a pointer leads to what that leads to, and no further; where it may be NULL, it may.
#include <stddef.h>
#include <unitproof.h>

int *second(int *p)
__CPROVER_requires(p != NULL)
__CPROVER_assigns()
__CPROVER_ensures(&p[1] == __CPROVER_return_value);

int *maybe(int *p)
__CPROVER_requires(p != NULL)
__CPROVER_assigns()
__CPROVER_ensures(__CPROVER_return_value == NULL || __CPROVER_return_value == p);

int beyond_proof(void) {
  int a[1] = {0};
  *second(a) = 4; // want failed out-of-bounds-write
  return 0;
}

int null_proof(void) {
  int a[2] = {0};
  *maybe(a) = 4; // want failed null-dereference
  return 0;
}

int either_proof(void) {
  int a[2] = {0};
  sassert(maybe(a) != NULL); // want failed assertion
  sassert(maybe(a) == NULL); // want failed assertion
  return 0;
}

int number_proof(void) {
  int a[2] = {0};
  int *p = second(a);
  sassert(p == a); // want failed assertion
  return 0;
}
