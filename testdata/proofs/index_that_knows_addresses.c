/*
An index may be computed from addresses: compared, hashed, or the distance of two pointers. It is a
number all the same, and says nothing of the object that it is added to.
verdict: failed
obligations: 12
*/
#include <stdint.h>
#include <stdlib.h>
#include <unitproof.h>

int main(void) {
  int *old = malloc(4 * sizeof *old), extra[4] = {0};
  if (!old)
    return 0;
  int *at = nd_bool() ? old + 1 : old + 3;
  int *third = old + 2;
  long distance = at - old;
  int *hashed = malloc(sizeof *hashed);
  if (!hashed)
    return 0;
  uintptr_t was = (uintptr_t)at - (uintptr_t)old;
  int upper = at > third, same = at == third;
  free(old);
  int *now = malloc(4 * sizeof *now);
  if (!now)
    return 0;
  for (int i = 0; i < 4; i++)
    now[i] = i;
  sassert(now[distance] == 1 || now[distance] == 3);
  *(int *)((uintptr_t)now + was) = 7;
  sassert(now[1] == 7 || now[3] == 7);
  now[upper + same] = 9;
  sassert(now[0] == 9 || now[1] == 9);
  extra[(uintptr_t)hashed >> 4 & 3] = 5;
  sassert(extra[0] + extra[1] + extra[2] + extra[3] == 5);
  int *either = nd_bool() ? extra : now;
  either[(uintptr_t)hashed >> 4 & 3] = 6;
  if (nd_bool())
    either[((uintptr_t)hashed >> 4 & 3) + 1] = 6; // want failed out-of-bounds-write
  char *aligned = (char *)extra + (-(uintptr_t)extra & 3);
  sassert(aligned == (char *)extra);
  extra[0] = now[upper * 4]; // want failed out-of-bounds-read
  return 0;
}
