/*
The recursive sum of the numbers up to n agrees with the closed formula.
verdict: proved
*/
#include <unitproof.h>

static int sum_to(int n)
{
    if (n <= 0)
        return 0;
    return n + sum_to(n - 1);
}

int main(void)
{
    int n = nd_int();

    assume(n >= 0 && n <= 1000);
    int s = sum_to(n);
    sassert(s >= n);
    sassert(s == n * (n + 1) / 2);
    return 0;
}
