#include "emit.h"

struct point { short x, y; };
struct packed { char a; int b; } __attribute__((packed));
struct bits { unsigned a : 3; int b : 5; unsigned c : 17; unsigned long long d : 40; };
struct node { struct node *next; int value; };
union word { double d; uint64_t u; unsigned char b[8]; };
struct floats { float a, b, c; };
struct mixed { double d; int i; };
struct large { int v[20]; };
enum color { RED = 3, GREEN, BLUE = -2 };
typedef int v4 __attribute__((vector_size(16)));

static int table[3][4] = {{1, 2}, {5, 6, 7, 8}, [2] = {[3] = 9}};
static const char *const names[] = {"zero", "one", "two"};
static int (*operation)(int, int);

static int add(int a, int b) { return a + b; }
static int mul(int a, int b) { return a * b; }

static struct point swap(struct point p) { return (struct point){p.y, p.x}; }
static struct floats scale(struct floats f, float k) { f.a *= k; f.b *= k; f.c *= k; return f; }
static struct mixed mix(struct mixed m) { m.d += m.i; return m; }
static struct large shift(struct large l) {
  for (int i = 19; i > 0; i--)
    l.v[i] = l.v[i - 1];
  return l;
}

static double sum(int n, ...) {
  va_list ap, copy;
  va_start(ap, n);
  va_copy(copy, ap);
  double t = 0;
  for (int i = 0; i < n; i++) {
    switch (i % 5) {
    case 0: t += va_arg(ap, int); break;
    case 1: t += va_arg(ap, double); break;
    case 2: t += (double)va_arg(ap, long long); break;
    case 3: t += va_arg(ap, struct point).y; break;
    default: t += va_arg(ap, struct large).v[2]; break;
    }
  }
  t += va_arg(copy, int);
  va_end(copy);
  va_end(ap);
  return t;
}

static int classify(int x) {
  switch (x) {
  case -1: return 10;
  case 0:
  case 1: return 20;
  case 2: x++; /* fall through */
  case 3: return x;
  default: return x > 100 ? 40 : 50;
  }
}

static unsigned fib(unsigned n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

void program(void) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 4; j++)
      emit(table[i][j]);
  for (int i = -2; i < 5; i++)
    emit(classify(i));
  emit(classify(500) + fib(12));
  struct point p = swap((struct point){3, -4});
  emit((unsigned short)p.x);
  emit((unsigned short)p.y);
  struct packed k = {1, 0x12345678};
  emit(sizeof k + k.b);
  struct bits b = {5, -3, 70000, 1ull << 39};
  b.a++;
  b.b -= 2;
  b.c *= 2;
  b.d |= 5;
  emit(b.a);
  emit((unsigned)b.b);
  emit(b.c);
  emit(b.d);
  union word w = {.d = 3.25};
  emit(w.u);
  w.b[7] |= 0x80;
  emit_double(w.d);
  struct node *head = NULL;
  for (int i = 0; i < 10; i++) {
    struct node *n = malloc(sizeof *n);
    n->next = head;
    n->value = i * i;
    head = n;
  }
  for (struct node *n = head; n != NULL; n = n->next)
    emit(n->value);
  while (head != NULL) {
    struct node *next = head->next;
    free(head);
    head = next;
  }
  operation = add;
  emit(operation(3, 4));
  operation = mul;
  emit(operation(3, 4));
  struct floats f = scale((struct floats){1, 2.5f, -3}, 1.1f);
  emit_float(f.a);
  emit_float(f.b);
  emit_float(f.c);
  struct mixed m = mix((struct mixed){1.5, 2});
  emit_double(m.d);
  struct large l = {{1, 2, 3}};
  l = shift(shift(l));
  for (int i = 0; i < 6; i++)
    emit(l.v[i]);
  emit_double(sum(10, 1, 2.5, 3LL, p, l, 6, 7.25, -8LL, p, l));
  emit_double(sum(1, 5));
  char text[16];
  memset(text, 'x', sizeof text);
  memcpy(text, names[2], 4);
  memmove(text + 2, text, 6);
  for (int i = 0; i < 16; i++)
    emit(text[i]);
  v4 a = {1, -2, 3, 4}, c = {10, 20, 30, 40};
  v4 d = a * c + (a > 0);
  for (int i = 0; i < 4; i++)
    emit((unsigned)d[i]);
  enum color e = GREEN;
  emit(e + (BLUE < RED));
  int n = 5;
  int vla[n][3];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 3; j++)
      vla[i][j] = i * 10 + j;
  emit(vla[4][2] + sizeof vla);
  bool flag = 2;
  emit(flag + !flag);
  int *q = &vla[1][0];
  emit(q[5] + (&vla[3][1] - q));
  char *big = calloc(1 << 12, 1);
  big[4095] = 3;
  big = realloc(big, 1 << 15);
  emit(big[4095] + big[17]);
  free(big);
  int x = 0;
loop:
  if (x++ < 5)
    goto loop;
  emit(x);
  do
    x -= 2;
  while (x > 0);
  emit((unsigned)x);
  for (int i = 0; i < 10; i++) {
    if (i == 3)
      continue;
    if (i == 7)
      break;
    x += i ? i : -1;
  }
  emit((unsigned)(x, x + 1));
}
