/*
A scanner's character classes in a switch with ranges, fall-through and a default that must not
be reached for what the caller has excluded.
verdict: proved
obligations: 4
*/
#include <unitproof.h>

enum class { SPACE, DIGIT, LETTER, OTHER };

static enum class classify(unsigned char c) {
  switch (c) {
  case ' ':
  case '\t' ... '\r':
    return SPACE;
  case '0' ... '9':
    return DIGIT;
  case 'a' ... 'z':
  case 'A' ... 'Z':
  case '_':
    return LETTER;
  default:
    return OTHER;
  }
}

static int hex(unsigned char c) {
  int value = 0;
  switch (c) {
  case 'a' ... 'f':
    c -= 'a' - 'A';
    /* fall through */
  case 'A' ... 'F':
    value += 10 - 'A' + '0';
    /* fall through */
  case '0' ... '9':
    return value + c - '0';
  default:
    sassert(0);
    return -1;
  }
}

int main(void) {
  unsigned char c = (unsigned char)nd_uint8_t();
  enum class k = classify(c);
  sassert(k != DIGIT || (c >= 48 && c <= 57));
  sassert(k == LETTER || c != '_');
  assume((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'));
  int v = hex(c);
  sassert(v >= 0 && v <= 15);
  sassert(c != 'b' || v == 11);
  return 0;
}
