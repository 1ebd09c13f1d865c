/*
A watchdog that is kicked now and then resets the system before its counter exceeds the limit.
verdict: proved
*/
#include <unitproof.h>

#define WD_LIMIT 50u

int main(void)
{
    unsigned wd = 0;
    unsigned uptime = 0;
    unsigned resets = 0;
    bool running = false;

    for (;;) {
        if (!running) {
            running = true;
            uptime = 0;
            wd = 0;
        }
        if (nd_bool())
            wd = 0;             /* the task kicks the watchdog */
        else
            wd++;
        if (uptime < 1000000)
            uptime++;
        if (wd >= WD_LIMIT) {
            running = false;
            if (resets < 255)
                resets++;
            sassert(uptime >= WD_LIMIT);
        }
        sassert(wd <= WD_LIMIT);
        sassert(running == (wd < WD_LIMIT));
        sassert(resets <= 255);
    }
}
