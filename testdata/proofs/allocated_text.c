/*
asprintf allocates a string as long as its text.
verdict: failed
*/
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unitproof.h>

int proof_text(void) {
  char *text = NULL;
  int k = nd_int();
  assume(k >= 10 && k < 100);
  int n = asprintf(&text, "<%d%s>", k, "ab");
  if (n < 0) return 0;
  sassert(n == 6 && strlen(text) == 6 && text[3] == 'a');
  text[6] = 1;
  text[7] = 1; // want failed out-of-bounds-write
  free(text);
  return 0;
}
