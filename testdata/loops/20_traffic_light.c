/*
A traffic light with timed phases never shows green to both roads and never overruns the time of its phase.
verdict: proved
*/
#include <unitproof.h>

enum phase { NS_GREEN, NS_YELLOW, EW_GREEN, EW_YELLOW, ALL_RED };

int main(void)
{
    enum phase ph = ALL_RED;
    bool ns_go = false;
    bool ew_go = false;
    bool next_is_ns = true;
    int timer = 2;

    for (;;) {
        if (timer > 0) {
            timer--;
        } else if (ph == NS_GREEN) {
            ph = NS_YELLOW;
            timer = 3;
        } else if (ph == EW_GREEN) {
            ph = EW_YELLOW;
            timer = 3;
        } else if (ph == NS_YELLOW || ph == EW_YELLOW) {
            next_is_ns = (ph == EW_YELLOW);
            ns_go = false;
            ew_go = false;
            ph = ALL_RED;
            timer = 2;
        } else if (next_is_ns) {
            ph = NS_GREEN;
            ns_go = true;
            timer = nd_bool() ? 30 : 45;
        } else {
            ph = EW_GREEN;
            ew_go = true;
            timer = 25;
        }
        sassert(!(ns_go && ew_go));
        sassert(timer >= 0 && timer <= 45);
        sassert(ph != ALL_RED || (timer <= 2 && !ns_go && !ew_go));
        sassert(ph != EW_GREEN || timer <= 25);
    }
}
