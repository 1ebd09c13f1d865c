/*
A binary search stays in the array for any contents and every hit that it reports is one.
verdict: proved
*/
#include <unitproof.h>

int main(void)
{
    size_t n = nd_size_t();
    assume(n <= 100000);
    int *a = malloc(n * sizeof *a);
    if (!a)
        return 0;

    int key = nd_int();
    size_t lo = 0;
    size_t hi = n;
    bool hit = false;
    size_t where = n;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (a[mid] == key) {
            hit = true;
            where = mid;
            break;
        }
        if (a[mid] < key)
            lo = mid + 1;
        else
            hi = mid;
        sassert(hi <= n && lo <= hi);
    }
    sassert(hit == (where < n));
    sassert(!hit || a[where] == key);
    sassert(hit || lo == hi);
    free(a);
    return 0;
}
