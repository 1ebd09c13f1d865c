/*
A controller limits its integral part upwards only, so a long negative deviation overflows it after 215 cycles.
verdict: failed
*/
#include <unitproof.h>

#define LIMIT 1000000000

int main(void)
{
    int32_t integral = 0;
    int32_t output = 0;

    for (;;) {
        int32_t setpoint = nd_int32_t();
        int32_t measured = nd_int32_t();

        assume(setpoint >= 0 && setpoint <= 10000000);
        assume(measured >= 0 && measured <= 10000000);

        int32_t err = setpoint - measured;
        integral += err; // want failed signed-overflow
        if (integral > LIMIT)
            integral = LIMIT;

        output = err / 2 + integral / 1000;
        if (output < 0)
            output = 0;
        sassert(output <= 5000000 + LIMIT / 1000);
    }
}
