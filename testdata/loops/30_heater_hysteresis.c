/*
A heater with hysteresis and minimum on and off times switches off above the upper limit as soon as its hold time is
over.
verdict: proved
*/
#include <unitproof.h>

#define LOW_LIMIT   18
#define HIGH_LIMIT  22
#define MIN_ON      30u
#define MIN_OFF     60u

int main(void)
{
    bool on = false;
    unsigned hold = 0;

    for (;;) {
        int temp = nd_int();

        assume(temp >= -40 && temp <= 125);
        if (hold > 0)
            hold--;
        if (hold == 0) {
            if (!on && temp < LOW_LIMIT) {
                on = true;
                hold = MIN_ON;
            } else if (on && temp > HIGH_LIMIT) {
                on = false;
                hold = MIN_OFF;
            }
        }
        sassert(hold <= MIN_OFF);
        sassert(!on || hold <= MIN_ON);
        if (hold == 0)
            sassert(!(on && temp > HIGH_LIMIT) && !(!on && temp < LOW_LIMIT));
    }
}
