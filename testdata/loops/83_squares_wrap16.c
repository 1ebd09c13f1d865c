/*
The square of k as the sum of the first k odd numbers is kept in 16 bits and wraps at k = 256.
verdict: failed
*/
#include <unitproof.h>

int main(void)
{
    unsigned n = nd_uint();
    uint16_t square = 0;
    uint16_t odd = 1;

    assume(n <= 1000);
    for (unsigned k = 1; k <= n; k++) {
        square += odd;
        odd += 2;
        sassert(odd == 2 * k + 1);
        sassert(square == k * k); // want failed assertion
    }
    return 0;
}
