/*
Two counters with steps 3 and 5 keep their linear relation with factors.
verdict: proved
*/
#include <unitproof.h>

int main(void)
{
    int n = nd_int();
    int x = 0;
    int y = 2;
    int i = 0;

    assume(n >= 0 && n <= 1000000);
    while (i < n) {
        x += 3;
        y += 5;
        i++;
    }
    sassert(5 * x == 3 * (y - 2));
    sassert(x == 3 * n);
    return 0;
}
