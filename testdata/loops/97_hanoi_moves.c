/*
The towers of Hanoi take one move less than a power of two, counted by the recursion in a global.
verdict: proved
*/
#include <unitproof.h>

static unsigned moves;

static void hanoi(unsigned discs, int from, int to, int via)
{
    sassert(from != to && to != via && from != via);
    if (discs == 0)
        return;
    hanoi(discs - 1, from, via, to);
    moves++;
    hanoi(discs - 1, via, to, from);
}

int main(void)
{
    unsigned n = nd_uint();

    assume(n <= 16);
    hanoi(n, 1, 3, 2);
    sassert(moves == (1u << n) - 1);
    return 0;
}
