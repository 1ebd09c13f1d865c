/*
Each case of a switch counts in a member of its own. The counts together are the number of all characters.
verdict: proved
obligations: 3
*/
#include <stdlib.h>
#include <unitproof.h>

struct kinds {
  unsigned blanks, commas, zeros, quotes, others;
};

int main(void) {
  unsigned size = nd_uint();
  assume(size <= 1000000);
  char *text = malloc(size);
  if (!text)
    return 1;
  memhavoc(text, size);
  struct kinds k = {0};
  for (unsigned i = 0; i < size; i++) {
    switch (text[i]) {
    case ' ':
    case '\t':
      k.blanks++;
      break;
    case ',':
      k.commas++;
      break;
    case '0':
      k.zeros++;
      break;
    case '"':
      k.quotes++;
      break;
    default:
      k.others++;
    }
  }
  sassert(k.blanks + k.commas + k.zeros + k.quotes + k.others == size);
  free(text);
}
