/*
A summation loop that stops at the first negative sample satisfies its own claim on both exits.
verdict: proved
*/
#include <unitproof.h>

int main(void)
{
    size_t n = nd_size_t();
    assume(n <= 100000);
    int8_t *a = malloc(n);
    if (!a)
        return 0;

    int sum = 0;
    size_t i;
    bool negative = false;

    for (i = 0; i < n; i++) {
        if (a[i] < 0) {
            negative = true;
            sassert(i < n && sum >= 0);
            break;
        }
        sum += a[i];
    }
    if (negative) {
        sassert(i < n);
        sassert(a[i] < 0);
    } else {
        sassert(i == n);
    }
    sassert(sum >= 0 && sum <= 12700000);
    free(a);
    return 0;
}
