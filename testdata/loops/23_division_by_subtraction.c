/*
Division by repeated subtraction yields a quotient and a remainder that give the dividend back.
verdict: proved
*/
#include <unitproof.h>

int main(void)
{
    int a = nd_int();
    int b = nd_int();
    int q = 0;
    int r;

    assume(a >= 0 && a <= 1000000);
    assume(b >= 1 && b <= 1000);
    r = a;
    while (r >= b) {
        r -= b;
        q++;
    }
    sassert(r >= 0 && r < b);
    sassert(q * b + r == a);
    return 0;
}
