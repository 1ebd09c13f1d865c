// verdict: proved
// obligations: 60
// `result == p` in what a call ensures makes the result that pointer, to the same object: not only a number that is equal.
#include <stddef.h>
#include <unitproof.h>

struct node { struct node *next; int *at; unsigned flag : 3; int n; };
int n;
int *g;

int *first(int *p)
__CPROVER_requires(p != NULL)
__CPROVER_assigns()
__CPROVER_ensures(__CPROVER_return_value == p);
int *second(int *p)
__CPROVER_requires(p != NULL)
__CPROVER_assigns()
__CPROVER_ensures(&p[1] == __CPROVER_return_value);
int *maybe(int *p)
__CPROVER_requires(p != NULL)
__CPROVER_assigns()
__CPROVER_ensures(__CPROVER_return_value == NULL || __CPROVER_return_value == p);
int *nonnull(int *p)
__CPROVER_requires(p != NULL)
__CPROVER_assigns()
__CPROVER_ensures(__CPROVER_return_value != NULL) __CPROVER_ensures(__CPROVER_return_value == p);
int *picks(int *p, int c)
__CPROVER_requires(p != NULL)
__CPROVER_assigns()
__CPROVER_ensures((c ==> __CPROVER_return_value == p) && (!c ==> __CPROVER_return_value == &n));
void out(int **o, int *p)
__CPROVER_requires(o != NULL) __CPROVER_assigns(*o, g) __CPROVER_ensures(*o == p && g == *o);
void members(struct node *s, int *p)
__CPROVER_requires(s != NULL) __CPROVER_assigns(*s)
__CPROVER_ensures(s->at == p && s->next == s && s->flag == 5 && s->n == 7);
int number(int k)
__CPROVER_requires(k < 100)
__CPROVER_assigns()
__CPROVER_ensures(__CPROVER_return_value == k + 1);

int main(void) {
  int a[2] = {0}, c = nd_int();
  *first(a) = 4;
  sassert(a[0] == 4);
  *second(a) = 5;
  sassert(a[1] == 5);
  int *q = maybe(a);
  if (q)
    *q = 6;
  sassert(a[0] == (q ? 6 : 4));
  *nonnull(a) = 7;
  sassert(a[0] == 7);
  *picks(a, c) = 8;
  sassert(c ? a[0] == 8 : n == 8);
  int *o;
  out(&o, a);
  *o = 9;
  sassert(a[0] == 9);
  *g = 10;
  sassert(a[0] == 10);
  struct node s;
  members(&s, a + 1);
  *s.next->at = 11;
  sassert(a[1] == 11 && s.flag == 5 && s.n == 7);
  int k = nd_int();
  assume(-5 < k && k < 100);
  sassert(number(k) == k + 1);
  return 0;
}

// Where a contract is proved, what it requires makes the pointer, too.
void within(int *a, int *b)
__CPROVER_requires(__CPROVER_is_fresh(a, 200)) __CPROVER_requires(b == &a[1]) __CPROVER_assigns(*b)
__CPROVER_ensures(a[1] == 0)
{ *b = 0; }

void behind(int *a, int *b, int n)
__CPROVER_requires(0 < n && n < 10 && __CPROVER_is_fresh(a, 200) && a + n == b) __CPROVER_assigns(*b)
__CPROVER_ensures(a[n] == 0)
{ *b = 0; }

void before_it_is_made(int *a, int *b)
__CPROVER_requires(b != NULL) __CPROVER_requires(__CPROVER_is_fresh(a, 200)) __CPROVER_requires(b == a + 1)
__CPROVER_assigns(*b)
{ *b = 0; }
