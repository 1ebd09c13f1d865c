/* An assertion of what a function says: the sentence goes on with why it says no; predicate.txt holds it.
verdict: failed
obligations: 1
*/
#include <stdlib.h>
#include <unitproof.h>

struct span {
  size_t begin, end;
};
struct text {
  char *data;
  struct span used;
  size_t room;
};

static bool is_span(const struct span *s) { return s->begin <= s->end && s->end - s->begin < 100; }
static bool is_text(const struct text *t) { return t && is_span(&t->used) && t->used.end <= t->room; }

int main(void) {
  struct text t = {NULL, {nd_size_t(), 3}, nd_size_t()};
  if (nd_bool())
    assume(is_span(&t.used));
  sassert(is_text(&t)); // want failed assertion
  return 0;
}
