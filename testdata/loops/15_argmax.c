/*
The index of the maximum of an array names an element that is at least as large as every other one.
verdict: proved
*/
#include <unitproof.h>

int main(void)
{
    size_t n = nd_size_t();
    assume(n >= 1 && n <= 100000);
    int *a = malloc(n * sizeof *a);
    if (!a)
        return 0;

    size_t m = 0;
    for (size_t i = 1; i < n; i++) {
        if (a[i] > a[m])
            m = i;
    }
    sassert(m < n);

    size_t k = nd_size_t();
    assume(k < n);
    sassert(a[k] <= a[m]);
    free(a);
    return 0;
}
