/*
A helper that orders two numbers through pointers makes a three-element sort by repeated application correct.
verdict: proved
*/
#include <unitproof.h>

static bool order(int *a, int *b)
{
    if (*a > *b) {
        int t = *a;
        *a = *b;
        *b = t;
        return true;
    }
    return false;
}

int main(void)
{
    int x = nd_int(), y = nd_int(), z = nd_int();
    int x0 = x, y0 = y, z0 = z;
    bool changed = true;

    while (changed) {
        changed = order(&x, &y);
        if (order(&y, &z))
            changed = true;
    }
    sassert(x <= y && y <= z);
    sassert(x == x0 || x == y0 || x == z0);
    sassert(z == x0 || z == y0 || z == z0);
    sassert(x <= y0 && z >= y0);
    return 0;
}
