/*
The 8-bit age of the last heartbeat wraps after 256 silent ticks, so that the alarm drops although the peer is dead.
verdict: failed
*/
#include <unitproof.h>

#define ALARM_AGE 200

int main(void)
{
    uint8_t age = 0;
    unsigned silent = 0;
    bool alarm = false;

    for (;;) {
        bool beat = nd_bool();

        if (beat) {
            age = 0;
            silent = 0;
        } else {
            age++;
            if (silent < 1000)
                silent++;
        }
        alarm = age >= ALARM_AGE;
        if (silent >= ALARM_AGE)
            sassert(alarm); // want failed assertion
        if (!alarm)
            sassert(age < ALARM_AGE);
    }
}
