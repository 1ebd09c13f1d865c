/*
A sum over values of one sign has that sign, stated as one conditional expression.
verdict: proved
*/
#include <unitproof.h>

int main(void)
{
    bool neg = nd_bool();
    long sum = 0;
    unsigned terms = 0;

    while (nd_bool() && terms < 10000) {
        long v = nd_uint16_t();

        sum = neg ? sum - v : sum + v;
        terms++;
        sassert(neg ? sum <= 0 : sum >= 0);
    }
    sassert((neg || sum >= 0) && (!neg || sum <= 0));
    sassert(terms != 0 || sum == 0);
    return 0;
}
