/*
The nested recursion of McCarthy yields 91 up to 101 and the argument less ten above.
verdict: proved
*/
#include <unitproof.h>

static int mc91(int n)
{
    if (n > 100)
        return n - 10;
    return mc91(mc91(n + 11));
}

int main(void)
{
    int n = nd_int();

    assume(n >= -100 && n <= 1000);
    int r = mc91(n);
    sassert(r >= 91);
    if (n <= 101)
        sassert(r == 91);
    else
        sassert(r == n - 10);
    return 0;
}
