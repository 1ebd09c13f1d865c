/*
A sender with credits takes them all back after a timeout of a hundred ticks, yet a late acknowledge returns one of
them again.
verdict: failed
*/
#include <unitproof.h>

#define WINDOW 8
#define TIMEOUT 100

int main(void)
{
    int credits = WINDOW;
    int in_flight = 0;
    int late = 0;               /* frames given up whose acknowledge may come */
    int timer = 0;

    for (;;) {
        unsigned ev = nd_uint() % 8;

        if (ev == 0 && credits > 0) {
            credits--;
            in_flight++;
        } else if (ev == 1 && in_flight > 0) {
            in_flight--;
            credits++;
            timer = 0;
        } else if (ev == 2 && late > 0) {
            late--;
            credits++;
        } else if (in_flight > 0) {
            timer++;
            if (timer == TIMEOUT) {
                credits += in_flight;
                late = in_flight;
                in_flight = 0;
                timer = 0;
            }
        }
        sassert(in_flight >= 0 && timer < TIMEOUT);
        sassert(credits + in_flight <= WINDOW); // want failed assertion
    }
}
