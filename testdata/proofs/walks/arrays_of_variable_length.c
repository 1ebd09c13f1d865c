/* Arrays of variable length in a loop that walks over data: where states of different iterations meet, since their position is the
   same, the array of each of them ends.
verdict: failed
*/
#include <unitproof.h>
#include <stddef.h>
enum { N = 4 };

void by_variable_harness(void) {
  char text[N + 1];
  memhavoc(text, N);
  text[N] = '\0';
  size_t n = nd_size_t();
  assume(n >= 1 && n <= 3);
  const char *p = text;
  const char *kept = NULL;
  while (*p) {
    {
      char array[n];
      array[0] = 1;
      while (*p == 'a') p++;
      kept = array;
    }
    if (*p == '\0') break;
    if (p == text + 2) sassert(*kept == 1); // want failed use-after-scope
    p++;
  }
}

struct lexer { const char *at; };
static void skip(struct lexer *lx) { while (*lx->at == 'a') lx->at++; }

void by_member_harness(void) {
  char text[N + 1];
  memhavoc(text, N);
  text[N] = '\0';
  size_t n = nd_size_t();
  assume(n >= 1 && n <= 3);
  struct lexer lx = {text};
  const char *kept = NULL;
  while (*lx.at) {
    {
      char array[n];
      array[0] = 1;
      skip(&lx);
      kept = array;
    }
    if (*lx.at == '\0') break;
    if (lx.at == text + 2) sassert(*kept == 1); // want failed use-after-scope
    lx.at++;
  }
}
