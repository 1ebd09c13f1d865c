// Wrong twin of comments_taken_out_in_place.c: a backslash takes the next character along, also the terminator.
// verdict: failed
#include <stdlib.h>
#include <unitproof.h>

static void skip_comment(char **in) {
  for (*in += 1; **in != '\0'; ++*in) {
    if (**in == '\n') {
      *in += 1;
      return;
    }
  }
}

static void copy_quoted(char **in, char **out) {
  **out = **in;
  for (++*in, ++*out; **in != '\0'; ++*in, ++*out) {
    **out = **in;
    if (**in == '"') {
      ++*in;
      ++*out;
      return;
    }
  }
}

static void compact(char *s) {
  char *out = s;
  while (*s != '\0') { // want failed out-of-bounds-read
    switch (*s) {
    case ' ': s++; break;
    case '#': skip_comment(&s); break;
    case '"': copy_quoted(&s, &out); break;
    case '\\': s += 2; break;
    default: *out++ = *s++;
    }
  }
  *out = '\0';
}

void compact_proof(void) {
  size_t n = nd_size_t();
  assume(n <= 100000);
  char *s = malloc(n + 1);
  assume(s != NULL);
  memhavoc(s, n + 1);
  s[n] = '\0';
  compact(s);
}
