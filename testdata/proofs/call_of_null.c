/*
A call through a null pointer is invalid-call, wherever the pointer comes from; reading a pointer to a function behind a
null pointer is null-dereference.
verdict: failed
obligations: 5
*/
#include <stddef.h>
#include <unitproof.h>

typedef int (*fn)(int);
struct ops {
  fn open, close;
};

static int same(int x) { return x; }

static int perhaps(void) {
  fn f = nd_bool() ? same : (fn)0;
  return f(1); // want failed invalid-call
}

static int of_table(unsigned i) {
  static const fn table[3] = {same, same};
  assume(i < 3);
  return table[i](2); // want failed invalid-call
}

static int of_member(const struct ops *o) {
  return o->close(3); // want failed invalid-call
}

int main(void) {
  static const struct ops partly = {.open = same};
  const struct ops *none = NULL;
  switch (nd_int()) {
  case 0: return perhaps();
  case 1: return of_table(nd_uint());
  case 2: return of_member(&partly);
  case 3: return none->open(4); // want failed null-dereference
  }
  return 0;
}
