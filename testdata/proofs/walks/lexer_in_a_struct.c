/* The position of a lexer is a member of a struct, and the functions that move it have a pointer to that. Joined behind each call, it
   would be one of many; states are kept apart by it over calls, as they are by a variable.
verdict: proved
*/
#include <unitproof.h>
#include <stdbool.h>
#include <stddef.h>
enum { N = 8 };
enum kind { END, WORD, NUMBER, STRING, SIGN, OPEN };
struct lexer { const char *text; size_t pos, len; };
struct token { enum kind kind; size_t start, len; };

static bool letter(char c) { return c >= 'a' && c <= 'z'; }
static bool digit(char c) { return c >= '0' && c <= '9'; }
static bool ended(const struct lexer *lx) { return lx->pos >= lx->len; }

static void skip_blanks(struct lexer *lx) {
  while (!ended(lx) && (lx->text[lx->pos] == ' ' || lx->text[lx->pos] == '\n')) lx->pos++;
}

static bool next_token(struct lexer *lx, struct token *t) {
  skip_blanks(lx);
  t->start = lx->pos;
  t->kind = END;
  t->len = 0;
  if (ended(lx)) return false;
  char c = lx->text[lx->pos++];
  if (letter(c)) {
    while (!ended(lx) && (letter(lx->text[lx->pos]) || digit(lx->text[lx->pos]))) lx->pos++;
    t->kind = WORD;
  } else if (digit(c)) {
    while (!ended(lx) && digit(lx->text[lx->pos])) lx->pos++;
    t->kind = NUMBER;
  } else if (c == '"') {
    t->kind = OPEN;
    while (!ended(lx)) {
      char d = lx->text[lx->pos++];
      if (d == '"') { t->kind = STRING; break; }
      if (d == '\\' && !ended(lx)) lx->pos++;
    }
  } else {
    t->kind = SIGN;
  }
  t->len = lx->pos - t->start;
  return true;
}

int main(void) {
  char text[N];
  memhavoc(text, N);
  size_t len = nd_size_t();
  assume(len <= N);
  struct lexer lx = {text, 0, len};
  struct token t;
  size_t last = 0, n = 0;
  while (next_token(&lx, &t)) {
    sassert(t.len > 0);
    sassert(t.start >= last);
    sassert(t.start + t.len <= len);
    if (t.kind == STRING) sassert(t.len >= 2 && text[t.start] == '"' && text[t.start + t.len - 1] == '"');
    last = t.start + t.len;
    n++;
  }
  sassert(n <= len);
  sassert(lx.pos == len);
}
