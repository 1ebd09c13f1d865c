/*
Counting down by four leaves the remainder of the start value and counts the quarters.
verdict: proved
*/
#include <unitproof.h>

int main(void)
{
    int start = nd_int();
    int left;
    int quads = 0;

    assume(start >= 0 && start <= 1000000);
    left = start;
    while (left >= 4) {
        left -= 4;
        quads++;
        sassert((start - left) % 4 == 0);
    }
    sassert(start - left == 4 * quads);
    sassert(left == start % 4);
    sassert(quads == start / 4);
    return 0;
}
