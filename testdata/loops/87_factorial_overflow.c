/*
The recursive factorial of a number up to 13 does not fit into an int.
verdict: failed
*/
#include <unitproof.h>

static int factorial(int n)
{
    if (n <= 1)
        return 1;
    return n * factorial(n - 1); // want failed signed-overflow
}

int main(void)
{
    int n = nd_int();

    assume(n >= 0 && n <= 13);
    int f = factorial(n);
    sassert(f >= 1);
    return 0;
}
