/*
The greatest common divisor by subtraction stays positive, so it may be used as a divisor afterwards.
verdict: proved
*/
#include <unitproof.h>

int main(void)
{
    int a = nd_int();
    int b = nd_int();
    int x, y;

    assume(a >= 1 && a <= 1000000);
    assume(b >= 1 && b <= 1000000);
    x = a;
    y = b;
    while (x != y) {
        if (x > y)
            x -= y;
        else
            y -= x;
        sassert(x > 0 && y > 0);
    }
    sassert(x <= a && x <= b);
    sassert(a / x >= 1);
    return 0;
}
