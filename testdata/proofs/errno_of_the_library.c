/*
What library functions leave in errno: ENOMEM where an allocation fails, EDOM of what has no result; and of those that succeed and
say nothing of errno, anything but 0 (C11 7.5p3). free and what only computes leave it alone.

verdict: failed
*/
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unitproof.h>

static void allocations(void) {
  errno = 0;
  char *p = malloc(nd_size_t());
  if (p == NULL) sassert(errno == ENOMEM);
  if (p != NULL) sassert(errno == 0); // want failed assertion
  if (p != NULL && errno != 0) {
    errno = ERANGE;
    free(p);
    sassert(errno == ERANGE);
    return;
  }
  errno = 0;
  char *q = realloc(p, 10);
  if (q == NULL) sassert(errno == ENOMEM);
  free(q == NULL ? p : q);
  errno = 0;
  void *a = calloc(1, 8), *b = NULL;
  if (a == NULL) sassert(errno == ENOMEM);
  free(a);
  errno = 0;
  if (posix_memalign(&b, 64, 8) != 0) sassert(errno == 0); // want failed assertion
  free(b);
  errno = 7;
  free(strdup("text"));
  sassert(errno != 0);
  sassert(errno == 7); // want failed assertion
}

static void refused(void) {
  errno = 0;
  void *p = malloc(16);
  assume(p != NULL);
  errno = 3;
  sassert(realloc(p, 0) == NULL);
  sassert(errno != ENOMEM); // want failed assertion
  errno = 3;
  sassert(reallocarray(NULL, (size_t)1 << 62, 8) == NULL);
  sassert(errno == ENOMEM);
}

static void output(void) {
  errno = 0;
  printf("%d\n", 3);
  sassert(errno == 0); // want failed assertion
  errno = 5;
  puts("x");
  sassert(errno != 0);
}

static void computed(void) {
  double x = nd_double(), y = nd_double();
  char text[4] = "abc", copy[4];
  errno = 0;
  memcpy(copy, text, sizeof copy);
  sassert(strlen(copy) == 3 && errno == 0);
  double root = sqrt(x);
  sassert(errno == (x < 0 ? EDOM : 0));
  errno = 0;
  if (sqrtf(2.0f) > 1) sassert(errno == 0);
  (void)fmod(x, y);
  sassert(errno == 0); // want failed assertion
  if (y != 0 && !isinf(x)) sassert(errno == 0);
  errno = 0;
  (void)floor(root);
  sassert(errno == 0);
}

static void environment(void) {
  errno = 4;
  (void)getenv("HOME");
  sassert(errno == 4);
}

int main(void) {
  switch (nd_int()) {
  case 0: allocations(); break;
  case 1: refused(); break;
  case 2: output(); break;
  case 3: computed(); break;
  default: environment();
  }
  return 0;
}
