/*
An in-place filter that removes carriage returns leaves none in the part that it kept.
verdict: proved
*/
#include <unitproof.h>

int main(void)
{
    size_t n = nd_size_t();
    assume(n <= 100000);
    char *s = malloc(n);
    if (!s)
        return 0;

    size_t w = 0;
    for (size_t r = 0; r < n; r++) {
        if (s[r] != '\r') {
            s[w] = s[r];
            w++;
        }
        sassert(w <= r + 1);
    }
    sassert(w <= n);

    size_t k = nd_size_t();
    if (k < w)
        sassert(s[k] != '\r');
    free(s);
    return 0;
}
