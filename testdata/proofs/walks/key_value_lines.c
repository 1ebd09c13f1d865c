/* Lines of KEY = VALUE with comments: loops inside of a loop move one position. Joined behind each of them it is one of many, and the
   loops go on as long as the longest way through each would take them.
verdict: proved
obligations: 15
*/
#include <unitproof.h>
#include <string.h>
enum { N = 10 };
static int parse(const char *p, char *key, char *val, int max) {
  int pairs = 0;
  while (*p) {
    while (*p == ' ' || *p == '\n') p++;
    if (*p == ';') { while (*p && *p != '\n') p++; continue; }
    if (!*p) break;
    int k = 0;
    while (*p && *p != '=' && *p != '\n') {
      if (k < max - 1) key[k++] = *p;
      p++;
    }
    if (*p != '=') return -1;
    p++;
    while (k > 0 && key[k - 1] == ' ') k--;
    key[k] = 0;
    int v = 0;
    while (*p && *p != '\n') { if (v < max - 1) val[v++] = *p; p++; }
    val[v] = 0;
    pairs++;
  }
  return pairs;
}
int main(void) {
  char s[N + 1], key[8], val[8];
  memhavoc(s, sizeof s); s[N] = 0;
  int r = parse(s, key, val, 8);
  sassert(r <= N / 2);
}
