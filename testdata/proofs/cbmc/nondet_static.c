/*
With --nondet-static, variables start with any value, static ones of functions too; constants and literals do not.
verdict: failed
flags: --nondet-static=true
obligations: 8
*/
#include <assert.h>
#include <string.h>

struct state {
  int mode, *where;
  char name[8];
};
static struct state state = {1, 0, "abc"};
static const struct state fixed = {2, 0, "def"};
static int table[3] = {1, 2, 3};
static const char *text = "x";

static int next(void) {
  static int calls;
  return ++calls; // want failed signed-overflow
}

void elsewhere(void);

int main(void) {
  assert(fixed.mode == 2 && strcmp(fixed.name, "def") == 0);
  if (state.mode == 1) {
    assert(state.where == 0); // want failed assertion
    assert(table[1] == 2);    // want failed assertion
    __CPROVER_assume(state.name[7] == 0);
    assert(strlen(state.name) < 8);
  }
  int first = next();
  assert(first == 1);         // want failed assertion
  assert(next() == first + 1);
  assert(text != 0); // want failed assertion
  // Static it stays: no function without a body knows it.
  state.mode = 3;
  elsewhere();
  assert(state.mode == 3);
  return 0;
}
