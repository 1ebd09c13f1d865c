/*
A table of prefix sums over bytes is monotone, bounded, and its differences give the bytes back.
verdict: proved
*/
#include <unitproof.h>

int main(void)
{
    size_t n = nd_size_t();
    assume(n <= 100000);
    uint8_t *a = malloc(n);
    uint32_t *pre = malloc((n + 1) * sizeof *pre);
    if (!a || !pre)
        return 0;

    pre[0] = 0;
    for (size_t i = 0; i < n; i++)
        pre[i + 1] = pre[i] + a[i];

    size_t k = nd_size_t();
    assume(k < n);
    sassert(pre[k] <= pre[k + 1]);
    sassert(pre[k + 1] - pre[k] == a[k]);
    sassert(pre[n] <= 25500000);
    free(a);
    free(pre);
    return 0;
}
