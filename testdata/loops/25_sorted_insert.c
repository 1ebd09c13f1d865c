/*
Inserting a value into a sorted array by shifting the larger ones up keeps the array sorted.
verdict: proved
*/
#include <unitproof.h>

int main(void)
{
    size_t n = nd_size_t();
    assume(n >= 1 && n <= 10000);
    int *a = malloc((n + 1) * sizeof *a);
    if (!a)
        return 0;

    a[0] = 0;
    for (size_t i = 1; i < n; i++)
        a[i] = a[i - 1] + nd_uint8_t();

    int value = nd_int();
    size_t j = n;
    while (j > 0 && a[j - 1] > value) {
        a[j] = a[j - 1];
        j--;
    }
    a[j] = value;
    sassert(j <= n);

    for (size_t i = 0; i < n; i++)
        sassert(a[i] <= a[i + 1]);
    free(a);
    return 0;
}
