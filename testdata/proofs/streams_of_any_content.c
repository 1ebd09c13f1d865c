/*
 * verdict: failed
 *
 * A file may have any content, end anywhere and fail; a stream is an object that fclose ends.
 */
#include <stdio.h>
#include <string.h>
#include <unitproof.h>

int main(void) {
  char line[16], block[8], word[4];
  FILE *f = fopen("x", "r");
  if (f == NULL) return 0;
  if (fgets(line, sizeof line, f) != NULL) {
    char *end = strchr(line, '\n');
    sassert(end == NULL || end[1] == 0);
    sassert(strlen(line) < sizeof line);
    sassert(line[0] != 0);  // want failed assertion
  } else {
    sassert(feof(f) || ferror(f));
  }
  int c = getc(f);
  sassert(c >= -1 && c <= 255);
  if (c >= 0) {
    sassert(ungetc(c, f) == c);
    sassert(getc(f) == c);
  }
  size_t n = fread(block, 1, sizeof block, f);
  sassert(n <= sizeof block);
  sassert(n == sizeof block);  // want failed assertion
  if (fscanf(f, "%3s", word) == 1) sassert(strlen(word) <= 3);
  sassert(ftell(f) >= -1);
  fclose(f);
  if (nd_bool()) fgetc(f);  // want failed use-after-free
  n = fread(block, 1, 9, stdin);  // want failed out-of-bounds-write
}
