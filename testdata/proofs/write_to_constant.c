/*
A string literal and a const table cannot be written, however the pointer got there; a copy on
the stack can.
verdict: failed
obligations: 3
*/
#include <string.h>
#include <unitproof.h>

static const unsigned table[4] = {1, 2, 4, 8};

static void upcase(char *s) {
  if (*s >= 'a' && *s <= 'z')
    *s -= 'a' - 'A'; // want failed read-only-write
}

int main(void) {
  char own[] = "copy";
  upcase(own);
  sassert(own[0] == 'C');

  unsigned i = nd_uint();
  assume(i < 4);
  sassert(table[i] == 1u << i);

  if (nd_bool())
    upcase((char *)"literal");
  else
    *(unsigned *)&table[i] = 3; // want failed read-only-write
  return 0;
}
