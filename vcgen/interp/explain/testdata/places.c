// A place of each sort. Behind each assignment stands how the trace tells of it.
#include <stdlib.h>
struct point { int x, y; };
struct bits { unsigned low : 3; int high : 5; };
struct inner { struct point at; char text[4]; };
struct node { struct node *next; int v[3]; struct inner in; struct point *far; struct bits bits; };
union word { unsigned whole; unsigned char bytes[4]; };
struct table { int rows[2][3]; };
struct tail { int n; int items[]; };
int counter;
int grid[2][3];
struct node nodes[2];
static struct point *global;
static void set(int *to, struct node *n) {
  *to = 1; // *to = 1
  to[2] = 2; // to[2] = 2
  n->v[1] = 3; // n->v[1] = 3
  n->next->v[2] = 4; // n->next->v[2] = 4
}
int main(void) {
  int i = 2, array[6] = {0};
  struct point p, *q = &p, **pp = &q;
  struct node n = {&n, {0}, {{0}}, &p, {0}}, *m = &n;
  union word w;
  struct table t, *tt = &t;
  char *bytes = (char *)&p;
  void *untyped = array;
  struct tail *tail = malloc(sizeof *tail + 8);
  i = 1; // i = 1
  i += 2; // i = 3
  i++; // i = 4
  counter = 5; // counter = 5
  array[0] = 1; // array[0] = 1
  array[i] = 2; // array[4] = 2
  *array = 3; // array[0] = 3
  *(array + 2) = 4; // array[2] = 4
  p.x = 5; // p.x = 5
  q->y = 6; // q->y = 6
  (*q).x = 7; // q->x = 7
  (*pp)->x = 8; // (*pp)->x = 8
  **pp = (struct point){9, 10}; // **pp = {.x = 9, .y = 10}
  n.v[2] = 11; // n.v[2] = 11
  m->v[0] = 12; // m->v[0] = 12
  m->in.at.y = 13; // m->in.at.y = 13
  m->in.text[1] = 'c'; // m->in.text[1] = 99 'c'
  m->next->v[1] = 14; // m->next->v[1] = 14
  m->next->next->v[1] = 15; // m->next->next->v[1] = 15
  m->far->x = 16; // m->far->x = 16
  n.bits.low = 5; // n.bits.low = 5
  m->bits.high = -3; // m->bits.high = -3
  w.whole = 17; // w = {.whole = 17}
  w.bytes[2] = 18; // w.bytes[2] = 18
  grid[1][2] = 19; // grid[1][2] = 19
  tt->rows[1][0] = 20; // tt->rows[1][0] = 20
  nodes[1].v[0] = 21; // nodes[1].v[0] = 21
  nodes[1].in.at.x = 22; // nodes[1].in.at.x = 22
  global = q; // global = &p
  global->x = 23; // global->x = 23
  bytes[4] = 24; // bytes[4] = 24
  ((int *)untyped)[1] = 25; // array[1] = 25
  if (tail) {
    tail->n = 2; // tail->n = 2
    tail->items[1] = 26; // tail->items[1] = 26
  }
  p = (struct point){1, 2}; // p = {.x = 1, .y = 2}
  n.in.at = p; // n.in.at = {.x = 1, .y = 2}
  set(array, m);
  sassert(0);
}
