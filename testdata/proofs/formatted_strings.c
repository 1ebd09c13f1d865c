/*
 * verdict: failed
 *
 * What snprintf and sprintf write stays within the size, ends with a NUL, and is as long as the result says; a buffer that is too small
 * for sprintf is overrun. The text of the format, strings and characters is exact, that of numbers as long as the number is.
 */
#include <stdio.h>
#include <string.h>
#include <unitproof.h>

int main(void) {
  char b[16], word[6];
  int x = nd_int(), n;
  switch (nd_int()) {
    case 0:
      n = snprintf(b, sizeof b, "%d", x);
      sassert(n >= 1 && n <= 11 && strlen(b) == (size_t)n);
      sassert(n < 11); // want failed assertion
      break;
    case 1:
      n = snprintf(b, 4, "%d", x);
      sassert(strlen(b) < 4 && (n > 3 || strlen(b) == (size_t)n));
      break;
    case 2:
      assume(x >= 100 && x < 1000);
      n = snprintf(b, sizeof b, "v%d;%c", x, 'q');
      sassert(n == 6 && b[0] == 'v' && b[4] == ';' && b[5] == 'q' && b[6] == 0);
      break;
    case 3:
      sprintf(b, "[%10u]", (unsigned)x);
      sprintf(b, "%5x:%-5s", x, "abc");
      sassert(strlen(b) >= 11);
      break;
    case 4:
      sprintf(b, "%lld", nd_int64_t()); // want failed out-of-bounds-write
      break;
    case 5:
      word[5] = 0;
      n = snprintf(b, sizeof b, "<%.3s>", word);
      sassert(n == (int)strnlen(word, 3) + 2 && b[0] == '<' && b[n - 1] == '>');
      break;
    case 6:
      memset(word, 'a', sizeof word);
      snprintf(b, sizeof b, "%s", word); // want failed out-of-bounds-read
      break;
    case 7:
      n = snprintf(NULL, 0, "%s and %s", "one", "two");
      sassert(n == 11);
      break;
    case 8:
      n = snprintf(b, sizeof b, "%.2f", 0.5 * (x % 100));
      sassert(n >= 1 && n < 16 && b[n] == 0);
      break;
    case 9:
      strcpy(b, "ab");
      sprintf(b, "%s!", b); // want failed overlapping-copy
      break;
  }
  return 0;
}
