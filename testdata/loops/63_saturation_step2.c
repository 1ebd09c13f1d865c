/*
An 8-bit counter meant to saturate is tested against 255 but raised by two, so it jumps from 254 to zero.
verdict: failed
*/
#include <unitproof.h>

int main(void)
{
    uint8_t c = 0;
    unsigned events = nd_uint();

    assume(events <= 1000);
    for (unsigned i = 0; i < events; i++) {
        uint8_t before = c;

        if (c < 255)
            c += 2;
        sassert(c >= before); // want failed assertion
    }
    return 0;
}
