/*
 * verdict: failed
 *
 * What is assumed on one way bounds what is made on that way, and nothing that other ways have as well.
 */
#include <string.h>
#include <unitproof.h>

struct text {
  size_t size, used;
};

int main(void) {
  size_t before = nd_size_t(), n = 0;
  char *s = NULL;
  if (nd_bool()) {
    struct text t;
    size_t inside = nd_size_t();
    assume(inside > 0 && inside <= 5);
    assume(t.size <= inside && t.used <= t.size);
    assume(before <= 7);
    s = malloc(inside);
    assume(s != NULL);
    memset(s, nd_char(), inside);
    s[inside - 1] = 0;
    n = t.used;
    if (nd_bool()) {
      assume(inside <= 2 && before <= 1);
      sassert(strlen(s) <= 1 && before <= 1);
    }
    sassert(before <= 7);
    sassert(before != 3); // want failed assertion
    sassert(inside != 4); // want failed assertion
    sassert(t.size != 5); // want failed assertion
  }
  sassert(before <= 7); // want failed assertion
  sassert(n <= 5);
  sassert(n != 3); // want failed assertion
  sassert(s == NULL || strlen(s) <= 4);
  sassert(s == NULL || strlen(s) != 2); // want failed assertion
}
