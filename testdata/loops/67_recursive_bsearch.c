/*
A recursive binary search returns the length for a miss and otherwise the place of the key.
verdict: proved
*/
#include <unitproof.h>

static size_t search(const uint16_t *a, size_t lo, size_t hi, uint16_t key, size_t none)
{
    if (lo >= hi)
        return none;

    size_t mid = lo + (hi - lo) / 2;
    if (a[mid] == key)
        return mid;
    if (a[mid] < key)
        return search(a, mid + 1, hi, key, none);
    return search(a, lo, mid, key, none);
}

int main(void)
{
    size_t n = nd_size_t();
    assume(n <= 50000);
    uint16_t *a = malloc(n * sizeof *a);
    if (!a)
        return 0;

    uint16_t key = nd_uint16_t();
    size_t at = search(a, 0, n, key, n);
    sassert(at <= n);
    if (at < n)
        sassert(a[at] == key);
    free(a);
    return 0;
}
