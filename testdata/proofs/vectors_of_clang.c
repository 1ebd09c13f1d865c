/*
Vector types: element-wise arithmetic wraps for unsigned elements, comparisons give masks, and
single elements can be read and written, with an index that has to be inside.
verdict: proved
obligations: 3
*/
#include <stdint.h>
#include <unitproof.h>

typedef uint32_t v4 __attribute__((vector_size(16)));
typedef int32_t m4 __attribute__((vector_size(16)));

static v4 load(const uint32_t *p) { return (v4){p[0], p[1], p[2], p[3]}; }

int main(void) {
  uint32_t in[4];
  memhavoc(in, sizeof in);
  v4 a = load(in), b = a + 1u;
  unsigned i = nd_uint();
  assume(i < 4);
  sassert(b[i] == in[i] + 1u);

  m4 less = a < b;
  sassert(less[i] == -1 || in[i] == UINT32_MAX);

  v4 r = __builtin_shufflevector(a, b, 3, 2, 1, 4);
  sassert(r[0] == in[3] && r[3] == b[0]);
  return 0;
}
