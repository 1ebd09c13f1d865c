/*
 * qsort and bsearch. The comparison is any function, also one that contradicts itself.
 */
typedef int comparison(const void *, const void *);

static bool differ(const unsigned char *a, const unsigned char *b, size_t size) {
  unsigned char d = 0;
  for (size_t i = 0; i < size; i++) d |= a[i] ^ b[i];
  return d != 0;
}

/*
 * Sorts by exchanging neighbours: how often that loops depends on n alone, which keeps the paths few,
 * and the result is a permutation whatever the comparison says. The order of elements that compare
 * equal is not specified, so both are possible.
 */
static void qsort_sized(unsigned char *a, size_t n, size_t size, comparison *compare) {
  unsigned char kept[size];
  for (size_t end = n - 1; end > 0; end--) {
    for (size_t i = 0; i < end; i++) {
      unsigned char *x = a + i * size, *y = x + size;
      int order = compare(x, y);
      if (order > 0 || (order == 0 && differ(x, y, size) && nd_bool())) {
        __builtin_memmove(kept, x, size);
        __builtin_memmove(x, y, size);
        __builtin_memmove(y, kept, size);
      }
    }
  }
}

/*
 * Sizes that elements have are told apart. Of a size that is not constant, what is read behind three copies of so many
 * bytes may come from any of them; and what holds of any number of elements is found where their size is a constant of
 * the function.
 */
void qsort(void *base, size_t n, size_t size, comparison *compare) {
  if (n < 2 || size == 0) return;
  switch (size) {
    case 1: qsort_sized(base, n, 1, compare); break;
    case 2: qsort_sized(base, n, 2, compare); break;
    case 4: qsort_sized(base, n, 4, compare); break;
    case 8: qsort_sized(base, n, 8, compare); break;
    case 16: qsort_sized(base, n, 16, compare); break;
    default: qsort_sized(base, n, size, compare);
  }
}

/*
 * Of elements that compare equal, which one is found is not specified: any. The search does not end at the first that
 * it meets but goes on towards a place that is chosen beforehand; so no more elements are compared than halving takes.
 */
void *bsearch(const void *key, const void *base, size_t n, size_t size, comparison *compare) {
  const unsigned char *a = base;
  size_t found = n, towards = nd_size_t();
  for (size_t low = 0, high = n; low < high;) {
    size_t middle = low + (high - low) / 2;
    int order = compare(key, a + middle * size);
    if (order == 0) {
      found = middle;
      if (towards == middle) break;
    }
    if (order < 0 || (order == 0 && towards < middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return found == n ? NULL : (void *)(a + found * size);
}
