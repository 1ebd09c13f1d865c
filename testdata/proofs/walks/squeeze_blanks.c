/* Two cursors in nested loops, in place. Joined, each write is one to an unknown place, and the proof is out of reach.
verdict: proved
obligations: 15
*/
#include <unitproof.h>
#include <string.h>
enum { N = 7 };
// Drops blanks at both ends, and all but one between words.
static void squeeze(char *s) {
  char *w = s, *r = s;
  while (*r == ' ') r++;
  while (*r) {
    while (*r && *r != ' ') *w++ = *r++;
    while (*r == ' ') r++;
    if (*r) *w++ = ' ';
  }
  *w = 0;
}
int main(void) {
  char s[N + 1]; memhavoc(s, sizeof s); s[N] = 0;
  size_t before = strlen(s);
  squeeze(s);
  size_t n = strlen(s);
  sassert(n <= before);
  sassert(n == 0 || (s[0] != ' ' && s[n - 1] != ' '));
  for (size_t i = 0; i + 1 < n; i++) sassert(!(s[i] == ' ' && s[i + 1] == ' '));
}
