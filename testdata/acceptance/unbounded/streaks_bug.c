/*
Violations that need the same input many times in a row: in an endless loop, where a small counter wraps, and in a loop
with a bound from outside, behind more iterations than are unrolled.
verdict: failed
obligations: 2
*/
#include <stdint.h>
#include <unitproof.h>

void watchdog_harness(void)
{
    uint8_t missed = 0;
    unsigned since = 0;
    for (;;) {
        if (nd_bool()) {
            missed = 0;
            since = 0;
        } else {
            missed++;
            if (since < 5000)
                since++;
        }
        sassert(since < 100 || missed >= 100); // want failed assertion
    }
}

void log_level_harness(void)
{
    unsigned samples = nd_uint(), quiet = 0, loud = 0;
    assume(samples <= 20000);
    while (samples-- > 0) {
        if (nd_int() > 10)
            quiet++;
        else
            loud++;
        if (quiet == 300)
            sassert(loud > 0); // want failed assertion
    }
}
