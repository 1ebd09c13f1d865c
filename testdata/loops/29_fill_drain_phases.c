/*
A tank controller alternates between a filling and a draining phase and its level is the difference of the two totals.
verdict: proved
*/
#include <unitproof.h>

#define CAPACITY 500

int main(void)
{
    int level = 0;
    int filled = 0;
    int drained = 0;
    bool filling = true;

    while (filled < 1000000) {
        if (filling) {
            int in = nd_int();
            if (in < 0 || in > CAPACITY - level)
                in = CAPACITY - level;
            level += in;
            filled += in;
            if (level == CAPACITY || nd_bool())
                filling = false;
        } else {
            int want = nd_uint8_t();
            int out = want < level ? want : level;
            level -= out;
            drained += out;
            if (level == 0)
                filling = true;
        }
        sassert(level >= 0 && level <= CAPACITY);
        sassert(filled - drained == level);
    }
    return 0;
}
