// verdict: failed
// obligations: 3
//
// goto-cc compares structs with == and !=, which C forbids.
#include <stddef.h>

struct range {
  char tag;
  size_t from, to;
};

static void shift(struct range *r, size_t by) {
  r->from += by;
  r->to += by;
}

int main(void) {
  struct range r, *p = &r;
  const struct range old = r;
  __CPROVER_assert(r == old, "a copy");
  size_t by;
  shift(p, by);
  __CPROVER_assert(by != 0 || *p == old, "shifted by nothing");
  __CPROVER_assert(by == 0 || *p != old, "shifted by something");
  __CPROVER_assert(r == old, "shifted"); // want failed assertion
}
