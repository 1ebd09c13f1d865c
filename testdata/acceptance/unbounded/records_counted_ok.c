/*
Each record takes a byte or more, so there are at most as many records as bytes. A function moves the position.
verdict: proved
obligations: 4
*/
#include <stdlib.h>
#include <unitproof.h>

static int skip_record(const unsigned char **at, const unsigned char *end) {
  size_t length = **at & 15;
  if (length >= (size_t)(end - *at))
    return 0;
  *at += length + 1;
  return 1;
}

int main(void) {
  size_t size = nd_size_t();
  assume(size <= 100000);
  unsigned char *data = malloc(size);
  if (!data)
    return 1;
  memhavoc(data, size);
  const unsigned char *at = data, *end = data + size;
  int records = 0;
  while (at < end && skip_record(&at, end))
    records++;
  sassert(records <= at - data);
  free(data);
}
