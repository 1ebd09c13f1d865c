/*
The sum of the first n natural numbers is n(n+1)/2, and the bound on n keeps it inside an int.
verdict: proved
*/
#include <unitproof.h>

int main(void)
{
    int n = nd_int();
    int sum = 0;

    assume(n >= 0 && n <= 10000);
    for (int i = 1; i <= n; i++)
        sum += i;
    sassert(2 * sum == n * (n + 1));
    return 0;
}
