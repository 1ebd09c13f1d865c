/*
 * verdict: failed
 * flags: --check uninitialized-read
 * obligations: 5
 *
 * An entry that takes a struct of more than 16 bytes by value has an arbitrary object of its own for it, and one that returns such a
 * struct has room for the result. Both are no pointers that somebody may have chosen.
 */
#include <unitproof.h>

struct large { long a[5]; };
struct tagged { char tag; __int128 wide; };
union either { char bytes[24]; long words[3]; };
struct small { int x, y; };

void proof_taken(struct large l, int i) {
  assume(i >= 0 && i < 5);
  l.a[i] = 7;
  sassert(l.a[i] == 7);
  sassert(l.a[0] != 9); // want failed assertion
}

/* Two of them lie apart, and wide members are aligned. */
int proof_two_taken(struct tagged s, struct tagged t, union either u) {
  s.wide = 1;
  t.wide = 2;
  u.bytes[0] = 5;
  sassert(s.wide == 1 && &s != &t);
  sassert(t.tag != 'x' || (u.words[0] & 255) == 5);
  return s.tag == 3; 
}

struct large proof_returned(int x, struct large l) {
  struct large b = {{x}};
  sassert(b.a[0] == x && b.a[4] == 0);
  sassert(x != 7); // want failed assertion
  b.a[1] = l.a[1];
  return b;
}

/* The result is written by whom it is for. */
struct large proof_never_written(void) {
  struct large b;
  b.a[0] = 1;
  b.a[1] = b.a[2]; // want failed uninitialized-read
  return b;
}

struct small proof_small(struct small s) {
  s.x = s.y;
  sassert(s.x == s.y);
  return s;
}
