/*
Locals, parameters and members that are const (C11 6.7.3p6): their initialisation is no write to them, whatever it is made of.

verdict: failed
*/
#include <stdbool.h>
#include <string.h>
#include <unitproof.h>

struct pair { int a, b; };
struct large { long a[8]; };
struct keyed { const int key; int value; };
struct deep { char c; struct { const short s[2]; int free; } in; };
struct bits { const unsigned fixed : 3; unsigned loose : 5; };
union either { const int a; int b; };

static struct pair make(int n) { return (struct pair){n, n + 1}; }
static struct large make_large(int n) {
  struct large l = {{n}};
  l.a[7] = n;
  return l;
}
static int number(int n) { return n + 1; }
static void put(int *p, int v) { *p = v; } // want failed read-only-write
static int get(const int *p) { return *p; }

static int initialised_in_all_ways(bool which, int n) {
  const int constant = 5, computed = number(n), chosen = which ? number(1) : number(2);
  const struct pair list = {1, 2}, values = {number(1), number(2)}, result = make(3), copy = values;
  const struct pair either = which ? make(4) : make(5), other = which ? list : values;
  const struct large big = make_large(n), filled = {{number(1)}}, branches = which ? make_large(1) : make_large(2);
  const int row[6] = {1, number(2)}, zeros[40] = {number(3), [20] = number(4)};
  const char text[] = "constant", padded[100] = "constant";
  const bool truth = n > 3;
  const struct pair nested[2] = {
      {number(1), 2},
      {3, number(4)},
  };
  const int statement = ({ int q = number(3); const int w = q; w + get(&w); });
  const struct keyed k = {1, number(2)};
  struct keyed l = {number(1), 2}, m = k;
  struct bits bits = {1, 2}, odd = {number(0) & 7, n & 3};
  l.value = m.value = 4;
  bits.loose = 3;
  odd.loose = 4;
  union either u = {1};
  u.b = 2;
  struct keyed uninitialised;
  uninitialised.value = 1;
  uninitialised.value = 2;
  memcpy(&uninitialised, &k, sizeof k);
  memcpy(&uninitialised, &l, sizeof l);
  struct keyed array[3] = {{1, 2}, {3, 4}, {5, 6}};
  for (int i = 0; i < 3; i++) array[i].value = i;
  return get(&constant) + get(&computed) + get(&chosen) + get(&list.a) + get(&values.a) + get(&result.a) + get(&copy.b) +
         get(&either.a) + get(&other.a) + (int)big.a[7] + (int)filled.a[0] + (int)branches.a[0] + get(row) + get(zeros) +
         (int)strlen(text) + (int)strlen(padded) + truth + get(&nested[1].b) + get(&statement) + l.key + odd.fixed + u.a +
         array[2].key;
}

static int in_loops(int n) {
  int sum = 0;
again:;
  const int before = number(n);
  for (const int limit = number(2); sum < limit; sum++) {
    const struct pair each = {sum, number(sum)};
    sum += get(&each.a) - each.a + get(&limit) - limit;
  }
  sum += get(&before) - before;
  if (n++ < 2) goto again;
  switch (n) {
    const int inside = 3;
  case 1:
    sum += n;
    break;
  default:;
    const int late = number(n);
    sum += get(&late) - late;
  }
  return sum;
}

static void parameter(const int p, const struct large l, const struct pair q, struct keyed k) {
  k.value = 3;
  switch (nd_int()) {
  case 0: *(int *)&p = 1; break; // want failed read-only-write
  case 1: *(long *)&l.a[2] = 1; break; // want failed read-only-write
  case 2: *(int *)&q.b = 1; break; // want failed read-only-write
  case 3: *(int *)&k.key = 1; break; // want failed read-only-write
  }
}

static struct keyed global = {1, 2};
static struct keyed table[2] = {{1, 2}, {3, 4}};
static struct keyed zero;

static void written(int n) {
  const int scalar = number(n);
  const struct pair list = {1, 2}, values = {number(1), number(2)}, result = make(3);
  const struct large big = make_large(n);
  const int row[6] = {1, number(2)};
  const char text[] = "constant";
  struct keyed member = {1, 2}, computed = {number(1), 2};
  struct deep deep = {1, {{1, number(2)}, 4}};
  switch (nd_int()) {
  case 0: *(int *)&scalar = 6; break; // want failed read-only-write
  case 1: put((int *)&list.b, 3); break;
  case 2: put((int *)&values.a, 3); break;
  case 3: ((struct pair *)&result)->a++; break; // want failed read-only-write
  case 4: memset((void *)&big, 0, sizeof big); break; // want failed read-only-write
  case 5: *(int *)&row[3] = 1; break; // want failed read-only-write
  case 6: strcpy((char *)text, "x"); break; // want failed read-only-write
  case 7: *(int *)&member.key = 4; break; // want failed read-only-write
  case 8: *(int *)&computed.key = 4; break; // want failed read-only-write
  case 9: memcpy(&computed, &member, sizeof member); break; // want failed read-only-write
  case 10: *(short *)&deep.in.s[1] = 4; break; // want failed read-only-write
  case 11: deep.in.free = 4; deep.c = 3; break;
  case 12: *(int *)&global.key = 4; break; // want failed read-only-write
  case 13: *(int *)&table[1].key = 4; break; // want failed read-only-write
  case 14: global.value = table[1].value = 4; break;
  case 15: memhavoc(&zero, sizeof zero); break;
  case 16: memhavoc((void *)&scalar, sizeof scalar); break; // want failed read-only-write
  }
}

int main(void) {
  int n = nd_int();
  assume(n >= 0 && n < 5);
  initialised_in_all_ways(nd_bool(), n);
  in_loops(n);
  parameter(n, make_large(n), make(n), (struct keyed){n, n});
  written(n);
  return 0;
}
