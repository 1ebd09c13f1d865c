/*
The reset after a hundred packets clears the total and the good ones but forgets the counter of the bad ones.
verdict: failed
*/
#include <unitproof.h>

int main(void)
{
    unsigned total = 0;
    unsigned good = 0;
    unsigned bad = 0;
    size_t rounds = nd_size_t();

    assume(rounds <= 100000);
    for (size_t i = 0; i < rounds; i++) {
        if (total >= 100) {
            total = 0;
            good = 0;
        }
        total++;
        if (nd_bool())
            good++;
        else
            bad++;
        sassert(good <= total);
        sassert(good + bad == total); // want failed assertion
    }
    return 0;
}
