/* Recursive descent: what reads a character and what moves the position are functions that have a pointer to it, and one calls the
   other at positions that depend on the text.
verdict: proved
*/
#include <unitproof.h>
#include <stdbool.h>
#include <stddef.h>
enum { N = 4, DEPTH = 1 };
struct text { const char *at; size_t pos, len; };

static char peek(const struct text *t) { return t->pos < t->len ? t->at[t->pos] : '\0'; }
static void blanks(struct text *t) { while (peek(t) == ' ') t->pos++; }
static bool digit(char c) { return c >= '0' && c <= '9'; }

static bool sum(struct text *t, int depth);

static bool factor(struct text *t, int depth) {
  blanks(t);
  if (peek(t) == '(') {
    t->pos++;
    if (depth == 0 || !sum(t, depth - 1)) return false;
    blanks(t);
    if (peek(t) != ')') return false;
    t->pos++;
    return true;
  }
  if (!digit(peek(t))) return false;
  while (digit(peek(t))) t->pos++;
  return true;
}

static bool product(struct text *t, int depth) {
  if (!factor(t, depth)) return false;
  for (blanks(t); peek(t) == '*' || peek(t) == '/'; blanks(t)) {
    t->pos++;
    if (!factor(t, depth)) return false;
  }
  return true;
}

static bool sum(struct text *t, int depth) {
  if (!product(t, depth)) return false;
  for (blanks(t); peek(t) == '+' || peek(t) == '-'; blanks(t)) {
    t->pos++;
    if (!product(t, depth)) return false;
  }
  return true;
}

int main(void) {
  char text[N];
  memhavoc(text, N);
  struct text t = {text, 0, nd_size_t()};
  assume(t.len <= N);
  bool ok = sum(&t, DEPTH);
  sassert(t.pos <= t.len);
  if (ok) sassert(t.pos >= 1);
  if (ok && t.pos == N && text[0] == '(' && text[3] == ')') sassert(digit(text[1]) || digit(text[2]));
}
