/*
 * verdict: failed
 * obligations: 10
 *
 * Copying between strings that overlap is undefined (C11 7.24.2, 7.24.3), towards the front of an array, too, where copying byte by
 * byte would do.
 */
#include <string.h>
#include <unitproof.h>

int proof_strcpy_to_the_front(void) {
  char a[8] = "abcdef";
  unsigned n = nd_uint();
  assume(n >= 1 && n <= 7);
  strcpy(a, a + n); // want failed overlapping-copy
  return 0;
}

int proof_strcpy_apart(void) {
  char a[8] = "abc";
  strcpy(a + 4, a);
  sassert(a[3] == 0 && a[4] == 'a' && a[6] == 'c');
  strcpy(a, a + 4);
  return 0;
}

/* The destination is filled up with zeros, over the source. */
int proof_strncpy_fills(void) {
  char a[8] = "ab";
  a[4] = 'x';
  a[5] = 0;
  strncpy(a, a + 4, 4);
  sassert(a[0] == 'x' && a[3] == 0);
  strncpy(a, a + 4, 5); // want failed overlapping-copy
  return 0;
}

int proof_strncat(void) {
  struct {
    char to[6], from[2];
  } s = {"ab", {'c', 'd'}};
  strncat(s.to, s.from, 2);
  sassert(s.to[3] == 'd' && s.to[4] == 0);
  char b[8] = "x";
  b[4] = 'y';
  strncat(b, b + 2, nd_size_t());
  b[0] = 0;
  b[1] = 'z';
  b[2] = 0;
  strncat(b, b + 1, 2); // want failed overlapping-copy
  return 0;
}

int proof_stpcpy_and_memccpy(void) {
  char a[8] = "abcdef";
  sassert(memccpy(a, a + 4, 'e', 4) == a + 1);
  memccpy(a, a + 2, 'e', 4); // want failed overlapping-copy
  return 0;
}
