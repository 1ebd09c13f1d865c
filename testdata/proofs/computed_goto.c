/*
 * verdict: failed
 *
 * A computed goto is a switch over the addresses of labels: an interpreter with a table of them.
 */
#include <unitproof.h>

static int run(const unsigned char *code, int x) {
  static const void *const table[] = {&&op_add, &&op_double, &&op_stop};
  goto *table[*code++];
op_add:
  x += 1;
  goto *table[*code++];
op_double:
  x *= 2;
  goto *table[*code++];
op_stop:
  return x;
}

int main(void) {
  unsigned char first = nd_uchar();
  assume(first < 2);
  unsigned char code[] = {first, 1, 0, 2};
  int x = run(code, 3);
  sassert(x == 9 || x == 13); // want proved assertion
  sassert(x == 9); // want failed assertion
  return 0;
}
