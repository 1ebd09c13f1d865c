/*
A search halves what remains behind its position. Position and rest stay within the array, and the elements behind them
are known.
verdict: proved
obligations: 6
*/
#include <stdlib.h>
#include <unitproof.h>

static size_t first_at_least(const int *a, size_t count, int wanted) {
  size_t first = 0;
  while (count > 0) {
    size_t step = count / 2;
    if (a[first + step] < wanted) {
      first += step + 1;
      count -= step + 1;
    } else {
      count = step;
    }
  }
  return first;
}

int main(void) {
  size_t count = nd_size_t();
  assume(count <= 50000);
  int *a = malloc(count * sizeof *a);
  if (!a)
    return 1;
  memhavoc(a, count * sizeof *a);
  int wanted = nd_int();
  size_t at = first_at_least(a, count, wanted);
  sassert(at <= count);
  sassert(at == 0 || a[at - 1] < wanted);
  sassert(at == count || a[at] >= wanted);
  free(a);
}
