/*
A recursion adds to what a pointer points to; the depth is an input.
verdict: proved
obligations: 5
*/
#include <unitproof.h>

static void add(unsigned n, unsigned *sum)
{
    if (n == 0)
        return;
    *sum += 2;
    add(n - 1, sum);
}

int main(void)
{
    unsigned n = nd_uint(), sum = 0;
    assume(n <= 1000000);
    add(n, &sum);
    sassert(sum == 2 * n);
    return 0;
}
