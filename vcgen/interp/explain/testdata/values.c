// A value of each type. Behind each variable stands what is told of it where the assertion fails.
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <limits.h>
enum color { RED, GREEN = 5, NONE = -1 };
enum flags { READ = 1, WRITE = 2 };
struct point { int x, y; };
struct line { struct point from, to; };
struct bits { unsigned low : 3; int high : 5; _Bool on : 1; };
struct node { struct node *next; int value; };
struct mixed { char tag; double d; const char *name; };
union word { unsigned whole; unsigned char bytes[4]; };
struct pad { char c; int i; };
struct deep { struct line lines[2]; char text[8]; };
typedef unsigned long id_t2;
typedef int (*op)(int);
static int twice(int x) { return 2 * x; }
int counter = 3;
static const int limit = 9;

int main(void) {
  _Bool yes = 1; // true
  char c = 'a'; // 97 'a'
  char newline = '\n'; // 10
  char quote = '\''; // 39 '\''
  signed char sc = -3; // -3
  unsigned char uc = 200; // 200
  short s = -32768; // -32768
  unsigned short us = 65535; // 65535
  int i = INT_MIN; // -2147483648
  unsigned u = 4000000000u; // 4000000000
  long l = LONG_MIN; // -9223372036854775808
  unsigned long ul = ULONG_MAX; // 18446744073709551615
  long long ll = -1; // -1
  __int128 wide = -1; // -1
  unsigned __int128 uwide = (unsigned __int128)1 << 100; // 1267650600228229401496703205376
  id_t2 named = 12; // 12
  size_t size = 7; // 7
  uintptr_t number = 0x12345678; // 0x12345678
  float f = 0.1f; // 0.1
  double d = -2; // -2.0
  double large = 1e300; // 1e+300
  double inf = 1.0 / 0.0; // INFINITY
  float nan = 0.0f / 0.0f; // NaN
  double zero = -0.0; // -0.0
  enum color color = GREEN; // GREEN
  enum color none = NONE; // NONE
  enum color other = (enum color)3; // 3
  enum flags both = READ | WRITE; // 3
  struct point p = {1, -2}; // {.x = 1, .y = -2}
  struct line line = {{1, 2}, {3, 4}}; // {.from = {.x = 1, .y = 2}, .to = {.x = 3, .y = 4}}
  struct line origin = {{0, 0}, {0, 0}}; // {.from = {.x = 0, .y = 0}, .to = {.x = 0, .y = 0}}
  struct bits b = {5, -3, 1}; // {.low = 5, .high = -3, .on = true}
  struct mixed m = {'x', 0.5, "name"}; // {.tag = 'x', .d = 0.5, .name = "name"}
  union word w = {0x01020304}; // {.whole = 16909060}
  struct deep deep = {{{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}}, "text"}; // {.lines = {{.from = {.x = 1, .y = 2}, .to = {.x = 3, .y = 4}}, {.from = {.x = 5, .y = 6}, .to = {.x = 7, .y = 8}}}, .text = "text"}
  int array[4] = {1, 2, 3, 4}; // {1, 2, 3, 4}
  int zeros[4] = {0}; // {0, 0, 0, 0}
  int same[4] = {7, 7, 7, 7}; // {7, 7, 7, 7}
  int many[20] = {1, 2, 3}; // {[0] = 1, [1] = 2, [2] = 3}
  int grid[2][2] = {{1, 2}, {3, 4}}; // {{1, 2}, {3, 4}}
  char text[8] = "word"; // "word"
  char raw[4] = {1, 2, 'c', 4}; // {1, 2, 'c', 4}
  char full[4] = {'f', 'u', 'l', 'l'}; // {'f', 'u', 'l', 'l'}
  struct point points[2] = {{1, 2}, {3, 4}}; // {{.x = 1, .y = 2}, {.x = 3, .y = 4}}
  int *null = NULL; // NULL
  int *to = &i; // &i
  int *element = &array[2]; // array+2
  int *begin = array; // array
  int *end = array + 4; // array+4 (one past end)
  int *member = &line.to.y; // &line.to.y
  int *inside = &points[1].x; // points+1
  void *untyped = &p; // &p
  char *letter = text + 1; // text+1
  char *byte = (char *)&i + 1; // (char *)&i+1
  const char *literal = "a literal"; // "a literal"
  const char *behind = literal + 2; // "literal"
  const char *empty = ""; // ""
  const int *fixed = &limit; // &limit
  int *global = &counter; // &counter
  op function = twice; // twice
  int *heap = malloc(8); // malloc#1
  int *second = heap + 1; // malloc#1+4
  char *gone = malloc(2); // malloc#2 (freed)
  free(gone);
  struct node *list = malloc(sizeof *list); // malloc#3
  list->value = 4;
  list->next = list;
  int **twofold = &to; // &to
  int *scoped; // &inner (out of scope)
  {
    int inner = 2;
    scoped = &inner;
  }
  int unread; // (nothing)
  int *shown = to + 0; // &i
  sassert(function(counter) == heap[0] && fixed && twofold && 0);
}
