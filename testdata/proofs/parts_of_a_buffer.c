/*
 * verdict: proved
 *
 * What is left of a buffer is filled from several parts. That each copy ends within it follows from comparisons of sums
 * of lengths: a page of school arithmetic, and tens of thousands of conflicts for a solver that adds bit by bit.
 */
#include <stdint.h>
#include <string.h>
#include <unitproof.h>

struct stuffer {
  uint8_t *data;
  uint32_t size, at;
};

struct part {
  const uint8_t *bytes;
  size_t length;
};

/* Writes n bytes of the parts, or as many as they have. */
static void write_parts(struct stuffer *s, const struct part *parts, size_t count, uint32_t n) {
  if (n > s->size - s->at) return;
  s->at += n;
  uint8_t *to = s->data + s->at - n;
  size_t left = n;
  for (size_t i = 0; i < count; i++) {
    uint32_t length = (uint32_t)parts[i].length;
    size_t take = left < length ? left : length;
    memcpy(to, parts[i].bytes, take);
    to += take;
    left -= take;
  }
}

int main(void) {
  struct stuffer s = {.size = nd_uint32_t(), .at = nd_uint32_t()};
  assume(s.at <= s.size);
  s.data = malloc(s.size);
  assume(s.data != NULL);
  struct part parts[3];
  for (int i = 0; i < 3; i++) {
    parts[i].length = nd_size_t();
    uint8_t *bytes = malloc(parts[i].length);
    assume(bytes != NULL && parts[i].length > 0);
    parts[i].bytes = bytes;
  }
  write_parts(&s, parts, 3, nd_uint32_t());
  sassert(s.at <= s.size);
}
