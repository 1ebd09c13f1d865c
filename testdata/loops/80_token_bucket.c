/*
A token bucket never grants more in a window of ticks than its capacity plus what was refilled in that window.
verdict: proved
*/
#include <unitproof.h>

#define CAP   10
#define RATE   3
#define WINDOW 4

int main(void)
{
    int tokens = CAP;
    int ticks = 0;
    int granted = 0;            /* in the present window */

    for (;;) {
        tokens += RATE;
        if (tokens > CAP)
            tokens = CAP;
        ticks++;

        while (nd_bool()) {
            int cost = 1 + nd_uint8_t() % 5;
            if (cost > tokens)
                break;          /* request refused */
            tokens -= cost;
            granted += cost;
        }
        sassert(tokens >= 0 && tokens <= CAP);
        sassert(granted + tokens <= CAP + RATE * ticks);
        sassert(granted <= CAP + RATE * WINDOW);
        if (ticks == WINDOW) {
            ticks = 0;
            granted = 0;
        }
    }
}
