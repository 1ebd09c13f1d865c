/*
A partition around a pivot that need not occur in the array lets the left index run past the end.
verdict: failed
*/
#include <unitproof.h>

int main(void)
{
    size_t n = nd_size_t();
    assume(n >= 1 && n <= 10000);
    int *a = malloc(n * sizeof *a);
    if (!a)
        return 0;

    int pivot = nd_int();
    size_t i = 0;
    size_t j = n - 1;

    for (;;) {
        while (a[i] < pivot) // want failed out-of-bounds-read
            i++;
        while (j > 0 && a[j] > pivot)
            j--;
        if (i >= j)
            break;
        int t = a[i];
        a[i] = a[j];
        a[j] = t;
        i++;
        j--;
    }
    sassert(j < n);
    free(a);
    return 0;
}
