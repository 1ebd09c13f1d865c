/* Pairs of hexadecimal digits with blanks between them.
verdict: proved
obligations: 8
*/
#include <unitproof.h>
#include <stdint.h>
enum { N = 8 };
static int hexval(int c) { if (c >= '0' && c <= '9') return c - '0'; c |= 0x20; if (c >= 'a' && c <= 'f') return c - 'a' + 10; return -1; }
static int unhex(const char *s, uint8_t *out, int max) {
  int n = 0;
  for (;;) {
    while (*s == ' ' || *s == ':') s++;
    if (!*s) return n;
    int hi = hexval(*s++);
    if (hi < 0) return -1;
    int lo = hexval(*s++);
    if (lo < 0 || n >= max) return -1;
    out[n++] = (uint8_t)(hi << 4 | lo);
  }
}
int main(void) {
  char s[N + 1]; memhavoc(s, sizeof s); s[N] = 0;
  uint8_t out[3];
  int n = unhex(s, out, 3);
  sassert(n <= 3);
}
