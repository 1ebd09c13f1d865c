/*
 * verdict: failed
 * obligations: 20
 *
 * A number that is computed from the addresses of two objects, of which the second was given memory of the first, points
 * into the one that is alive. It points into neither on ways on which it is not computed from its address.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unitproof.h>

static void reused(void) {
  char *old = malloc(8);
  assume(old);
  free(old);
  char *young = malloc(64);
  assume(young);
  memset(young, 1, 64);
  char *q = young;
  memcpy((char *)&q + 1, (char *)&old + 1, 1);
  assume((uint64_t)q - (uint64_t)young < 32);
  sassert(q[0] == 1); // want proved assertion
  sassert(q[5] == 1); // want proved assertion
  free(young);
  sassert(q[0] == 1); // want failed use-after-free
}

static void violated(void) {
  char *old = malloc(8);
  assume(old);
  free(old);
  char *young = malloc(64);
  assume(young);
  memset(young, 1, 64);
  char *q = young;
  memcpy(&q, &old, 1);
  assume((uint64_t)q - (uint64_t)young < 32 && (uint64_t)q - (uint64_t)old < 8);
  sassert(q[0] == 1); // want proved assertion
  sassert(q[1] == 2); // want failed assertion
}

static void either(void) {
  char *a = malloc(8);
  assume(a);
  memset(a, 1, 8);
  char *q = a;
  if (nd_bool()) {
    char *b = malloc(8);
    assume(b);
    memset(b, 2, 8);
    q = b;
  }
  char c = *q;
  ((char *)&q)[0] = nd_char();
  if (nd_bool()) {
    assume((uint64_t)q - (uint64_t)a < 8);
    sassert(*q == c); // want unknown assertion // want unknown invalid-pointer
  } else {
    assume((uint64_t)q & 1); // wherever objects are, none begins there
    free(q);                 // want failed invalid-free
  }
}

int main(void) {
  if (nd_bool())
    reused();
  else if (nd_bool())
    violated();
  else
    either();
  return 0;
}
