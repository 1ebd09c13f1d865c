/* The sentence and the trace of use-after-free; use_after_free.txt holds them.
verdict: failed
obligations: 1
*/
#include <unitproof.h>
#include <stdlib.h>
#include <string.h>

struct buffer {
  size_t n;
  char *data;
};

static void clear(struct buffer *b) {
  free(b->data);
  b->n = 0;
}

int main(void) {
  struct buffer b = {8, malloc(8)};
  assume(b.data != NULL);
  if (nd_bool())
    clear(&b);
  b.data[0] = 'x'; // want failed use-after-free
}
