/* Functions that each move the position on, one after the other and not in a loop around them: key = value, each with blanks around it.
   The position is a pointer that the caller has.
verdict: proved
*/
#include <unitproof.h>
#include <stdbool.h>
#include <stddef.h>
enum { N = 8 };

static void blanks(const char **p) { while (**p == ' ') (*p)++; }

static size_t word(const char **p) {
  const char *start = *p;
  while (**p >= 'a' && **p <= 'z') (*p)++;
  return (size_t)(*p - start);
}

static bool value(const char **p, unsigned *out) {
  if (**p < '0' || **p > '9') return false;
  for (*out = 0; **p >= '0' && **p <= '9'; (*p)++) *out = *out * 10u + (unsigned)(**p - '0');
  return true;
}

static bool pair(const char **p, size_t *key, unsigned *number) {
  blanks(p);
  if ((*key = word(p)) == 0) return false;
  blanks(p);
  if (**p != '=') return false;
  ++*p;
  blanks(p);
  if (!value(p, number)) return false;
  blanks(p);
  return **p == '\0';
}

int main(void) {
  char text[N + 1];
  memhavoc(text, N);
  text[N] = '\0';
  const char *p = text;
  size_t key;
  unsigned number;
  bool ok = pair(&p, &key, &number);
  sassert(p >= text && p <= text + N);
  if (ok) {
    sassert(*p == '\0' && p >= text + 3);
    sassert(key >= 1 && key <= N - 2);
    sassert(number < 1000000);
  }
}
