/*
 * verdict: failed
 *
 * Texts of integers are exact, also of numbers that are not known, and are read back as what they were; what is known of a text
 * is known of the float that it stands for.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unitproof.h>

int main(void) {
  char b[64];
  int v = nd_int(), w = 0;
  assume(v > -1000 && v < 1000);
  sassert(snprintf(b, sizeof b, "%d", v) <= 4);
  sassert(atoi(b) == v);
  snprintf(b, sizeof b, "%05d|%x|%+d|%s|%c|%-4u|%#o|%.3d", 42, 255u, 7, "abc", 'z', 9u, 8u, 5);
  sassert(strcmp(b, "00042|ff|+7|abc|z|9   |010|005") == 0);
  sassert(snprintf(NULL, 0, "%ld", 12345l) == 5);
  sassert(sscanf("17 x0a,bc", "%d x%x ,%2s", &v, (unsigned *)&w, b) == 3 && v == 17 && w == 10);
  sassert(strcmp(b, "bc") == 0);
  sassert(strtod("2.5", NULL) == 2.5 && atof("-17") == -17);
  unsigned n = nd_uint();
  snprintf(b, sizeof b, "%u", n);
  sassert(b[0] != '0');  // want failed assertion
  char s[4];
  memhavoc(s, sizeof s);
  s[3] = 0;
  char *end;
  double d = strtod(s, &end);
  sassert(end >= s && end <= s + 3);
  sassert(d < 1000);  // want failed assertion
}
