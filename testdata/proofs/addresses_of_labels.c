/*
 * verdict: failed
 *
 * The addresses of labels can be kept, compared and jumped to. A compiler may give one address to two labels of equal
 * code, so that nothing is known of a comparison of two.
 */
#include <stdint.h>
#include <unitproof.h>

static int interpret(const unsigned char *code) {
  static void *const table[] = {&&one, &&two};
  sassert(table[0]);
  sassert(table[0] != table[1]); // want unknown assertion
  sassert(*code != 5); // want failed assertion
  goto *table[*code & 1];
one:
  return 1;
two:
  return 2;
}

static int by_distance(int i) {
  static const int at[] = {&&one - &&one, &&two - &&one};
  sassert(i != 3); // want failed assertion
  if (i == 4) goto *(&&one + at[1]);
one:
  return 1;
two:
  return 2;
}

int main(void) {
  unsigned char c = nd_uint8_t();
  sassert(c != 7); // want failed assertion
  void *here = &&out;
  sassert(here == &&out);
  if (nd_bool()) return by_distance(nd_int());
  if (nd_bool()) return interpret(&c);
out:
  return 0;
}
