/*
 * verdict: failed
 *
 * Whether two string literals with the same content, or one that ends as the other does, are one object is open (C11 6.4.5p7), also from
 * one place to another of an initialiser. The literal of one place is one object; literals that differ are two, and so is __func__ one.
 */
#include <string.h>
#include <unitproof.h>

static const char *const names[] = {"one", "two", "one"};

static const char *same(void) { return "same"; }
static const char *name(void) { return __func__; }
static const char *func(void) { return __func__[0] == 'f' ? __func__ : 0; }

int main(void) {
  sassert(same() == same());
  sassert(func() == func());
  const char *before = 0;
  for (int i = 0; i < 2; i++) {
    const char *now = "again";
    sassert(i == 0 || now == before);
    before = now;
  }
  const char *a = "abc", *b = "abd", *ab = "abcd", *end = "bcd";
  sassert(a != b);
  sassert(a != ab && a != end);
  sassert(ab != end && ab + 2 != end);
  switch (nd_int()) {
    case 0:
      sassert(names[0] == names[2]); // want failed assertion
      break;
    case 1:
      sassert(names[0] != names[2]); // want failed assertion
      break;
    case 2:
      sassert(names[0] != names[1]);
      sassert(strcmp(names[0], names[2]) == 0);
      break;
    case 3:
      sassert(ab + 1 != end); // want failed assertion
      break;
    case 4:
      sassert(ab + 1 == end); // want failed assertion
      break;
    case 5:
      sassert(same() != "same"); // want failed assertion
      break;
    case 6:
      sassert(name() != "name"); // want failed assertion
      break;
    case 7:
      if (ab + 1 == end) sassert(ab + 4 == end + 3);
      break;
  }
  return 0;
}
