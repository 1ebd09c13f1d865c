#include <unitproof.h>
#include <string.h>
#include "ini.c"
#ifndef N
#define N 4
#endif
static int values;

static int handler(void *user, const char *section, const char *name, const char *value) {
  sassert(user == &values);
  sassert(strlen(section) < MAX_SECTION && strlen(name) < MAX_NAME);
  sassert(strlen(value) <= N);
  values++;
  return nd_bool();
}

/* a file of up to N bytes: each line has at most one value */
int main(void) {
  char text[N];
  size_t n = nd_size_t();
  assume(n <= N);
  memhavoc(text, N);
  int error = ini_parse_string_length(text, n, handler, &values);
  sassert(-2 <= error && error <= (int)n);
  sassert(values <= (int)n);
}
