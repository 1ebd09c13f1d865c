/*
The first three rows of the Ackermann function follow their closed formulas.
verdict: proved
*/
#include <unitproof.h>

static unsigned ack(unsigned m, unsigned n)
{
    if (m == 0)
        return n + 1;
    if (n == 0)
        return ack(m - 1, 1);
    return ack(m - 1, ack(m, n - 1));
}

int main(void)
{
    unsigned m = nd_uint();
    unsigned n = nd_uint();

    assume(m <= 2 && n <= 50);
    unsigned r = ack(m, n);
    sassert(r > n);
    if (m == 1)
        sassert(r == n + 2);
    if (m == 2)
        sassert(r == 2 * n + 3);
    return 0;
}
