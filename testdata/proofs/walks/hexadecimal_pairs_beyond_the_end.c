/* The same, where the second digit may be the end of the string: the loop that skips blanks goes on behind it.
verdict: failed
obligations: 8
*/
#include <unitproof.h>
#include <stdint.h>
enum { N = 8 };
static int hexval(int c) { if (c >= '0' && c <= '9') return c - '0'; c |= 0x20; if (c >= 'a' && c <= 'f') return c - 'a' + 10; return -1; }
static int unhex(const char *s, uint8_t *out, int max) {
  int n = 0;
  for (;;) {
    while (*s == ' ' || *s == ':') s++; // want failed out-of-bounds-read
    if (!*s) return n;
    int hi = hexval(*s++);
    if (hi < 0) return -1;
    int lo = hexval(*s++);
    if (n >= max) return -1;
    out[n++] = (uint8_t)(hi << 4 | (lo & 15));
  }
}
int main(void) {
  char s[N + 1]; memhavoc(s, sizeof s); s[N] = 0;
  uint8_t out[3];
  int n = unhex(s, out, 3);
  sassert(n <= 3);
}
