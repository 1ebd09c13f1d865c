/*
The mutually recursive tests for even and odd numbers agree with the remainder by two.
verdict: proved
*/
#include <unitproof.h>

static bool is_odd(unsigned n);

static bool is_even(unsigned n)
{
    if (n == 0)
        return true;
    return is_odd(n - 1);
}

static bool is_odd(unsigned n)
{
    if (n == 0)
        return false;
    return is_even(n - 1);
}

int main(void)
{
    unsigned n = nd_uint();

    assume(n <= 2000);
    sassert(is_even(n) == (n % 2 == 0));
    if (is_odd(n))
        sassert(n >= 1);
    return 0;
}
