/*
A compound literal ends with its block, and each round of a loop has its own; the block of a
function's body ends with the call.
verdict: failed
obligations: 6
*/
#include <unitproof.h>

struct s {
  int a, b;
};
static int sum(const struct s *p) { return p->a + p->b; }

void fine_proof(void) {
  bool c = nd_bool();
  struct s *p = c ? &(struct s){1, 2} : &(struct s){3, 4};
  int total = 0;
  for (int i = 0; i < 3; i++) {
    total += sum(&(struct s){i, 1});
    if (i == 1)
      continue;
    struct s *q = &(struct s){.b = i};
    {
      q->a++;
    }
    total += q->a;
  }
  sassert(total == 3 + 3 + 2);
  sassert(p->a == (c ? 1 : 3));
}

int left_proof(void) {
  struct s *p;
  {
    p = &(struct s){3, 4};
    sassert(p->a == 3);
  }
  return p->a; // want failed use-after-scope
}

void last_round_proof(void) {
  struct s *p = NULL;
  for (int i = 0; i < 3; i++) {
    if (p)
      p->a = 1; // want failed use-after-scope
    p = &(struct s){i, 1};
    sassert(p->a == i);
  }
}
