/*
A percentage of what is done: the quotient of a multiple of a sum by a number that is no constant. A solver that divides
bit by bit needs minutes for it.
verdict: failed
obligations: 8
*/
#include <unitproof.h>

int main(void)
{
    int total = nd_int(), done = nd_int(), chunk = nd_int();
    assume(total >= 1 && total <= 100000);
    assume(done >= 0 && done < total);
    assume(chunk > 0);
    if (chunk > total - done)
        chunk = total - done;
    done += chunk;
    int percent = done * 100 / total;
    sassert(percent >= 0);
    sassert(percent <= 100);
    sassert(percent < 100); // want failed assertion
}
