/* A tokenizer that fills an array, as it is asserted of each token that was found: the number of tokens bounds the loop
   and keeps the states behind the call apart, so that none of them has tokens that were never written.
verdict: proved
*/
#include <stdbool.h>
#include <stddef.h>
#include <unitproof.h>

#define N 5

struct token {
  enum { WORD, NUMBER, STRING, OTHER } kind;
  size_t start, len;
};

static bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool digit(char c) { return c >= '0' && c <= '9'; }

static int tokenize(const char *s, size_t n, struct token *out, int max) {
  size_t i = 0;
  int k = 0;
  while (i < n) {
    char c = s[i];
    if (c == ' ' || c == '\n') {
      i++;
      continue;
    }
    if (k >= max) return -1;
    size_t start = i;
    if (letter(c)) {
      while (i < n && (letter(s[i]) || digit(s[i]))) i++;
      out[k].kind = WORD;
    } else if (digit(c)) {
      while (i < n && digit(s[i])) i++;
      out[k].kind = NUMBER;
    } else if (c == '"') {
      i++;
      while (i < n && s[i] != '"') {
        if (s[i] == '\\' && i + 1 < n) i++;
        i++;
      }
      if (i >= n) return -2;
      i++;
      out[k].kind = STRING;
    } else {
      i++;
      out[k].kind = OTHER;
    }
    out[k].start = start;
    out[k].len = i - start;
    k++;
  }
  return k;
}

int main(void) {
  char s[N];
  memhavoc(s, N);
  size_t n = nd_size_t();
  assume(n <= N);
  struct token t[N];
  int found = tokenize(s, n, t, N);
  sassert(found >= -2 && found <= N);
  for (int j = 0; j < found; j++) {
    sassert(t[j].kind <= OTHER);
    sassert(t[j].len > 0);
    sassert(s[t[j].start] != ' ');
    sassert(t[j].start + t[j].len <= n);
    if (j > 0) sassert(t[j - 1].start + t[j - 1].len <= t[j].start);
    if (j > 0 && t[j - 1].kind == OTHER) sassert(t[j - 1].len == 1);
  }
  if (found == N) sassert(t[N - 1].start == N - 1);
}
