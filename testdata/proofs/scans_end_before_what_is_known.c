/*
 * verdict: failed
 *
 * What is known of the first bytes reaches farther than the scan may look: it ends at its limit all the same. That
 * executions with small limits exist is what is asked here.
 */
#include <stdlib.h>
#include <string.h>
#include <unitproof.h>

static char some[64], other[64];

static void fill(void) {
  memhavoc(some, sizeof some);
  memhavoc(other, sizeof other);
  for (int i = 0; i < 20; i++) some[i] = other[i] = 'a';
}

void length_proof(void) {
  fill();
  size_t n = nd_size_t();
  assume(n <= sizeof some);
  size_t r = strnlen(some, n);
  sassert(n >= 10); // want failed assertion
  sassert(r <= n);
}

void character_proof(void) {
  fill();
  size_t n = nd_size_t();
  assume(n <= sizeof some);
  char *p = memchr(some, 'z', n);
  if (n == 5) sassert(p != NULL); // want failed assertion
}

void bytes_proof(void) {
  fill();
  size_t n = nd_size_t();
  assume(n <= sizeof some);
  int r = memcmp(some, other, n);
  if (n < 20) sassert(r == 0);
  if (n == 7) sassert(r != 0); // want failed assertion
}

void strings_proof(void) {
  fill();
  size_t n = nd_size_t();
  assume(n <= sizeof some);
  int r = strncmp(some, other, n);
  if (n < 20) sassert(r == 0);
  if (n == 7) sassert(r != 0); // want failed assertion
}

/* What is assumed later says nothing of what was before. */
void later_proof(void) {
  size_t n = nd_size_t();
  char *b = malloc(4000);
  assume(b);
  memset(b, 'a', 4000);
  sassert(n < 1000); // want failed assertion
  if (nd_bool()) {
    assume(n <= 64);
    sassert(memchr(b, 'z', n) == NULL);
  }
}
