/*
A table initialised with odd numbers in one loop is read back at any place with the right value.
verdict: proved
*/
#include <unitproof.h>

int main(void)
{
    size_t n = nd_size_t();
    assume(n <= 100000);
    int *a = malloc(n * sizeof(int));
    if (!a)
        return 0;

    for (size_t i = 0; i < n; i++)
        a[i] = 2 * (int)i + 1;

    for (size_t i = 0; i < n; i++) {
        sassert(a[i] % 2 == 1);
        sassert(a[i] > (int)i);
    }
    size_t k = nd_size_t();
    if (k < n)
        sassert(a[k] == 2 * (int)k + 1);
    free(a);
    return 0;
}
