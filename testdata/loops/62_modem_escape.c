/*
A modem leaves the data mode only after three plus signs in a row that follow a pause.
verdict: proved
*/
#include <unitproof.h>

#define GUARD 50u

int main(void)
{
    bool online = false;
    unsigned plus = 0;
    unsigned quiet = 0;
    bool guarded = false;       /* the pause before the first plus was long enough */

    for (;;) {
        int c = nd_bool() ? nd_uint8_t() : -1;     /* -1: a tick without data */

        if (!online) {
            if (c == 'O') {
                online = true;
                plus = 0;
                quiet = 0;
                guarded = false;
            }
        } else if (c < 0) {
            if (quiet < GUARD)
                quiet++;
            if (plus == 3 && quiet == GUARD) {
                sassert(guarded);
                online = false;
            }
        } else if (c == '+' && plus == 0) {
            if (quiet == GUARD) {
                guarded = true;
                plus = 1;
            }
            quiet = 0;
        } else {
            if (c == '+' && plus < 3) {
                plus++;
            } else {
                plus = 0;
                guarded = false;
            }
            quiet = 0;
        }
        sassert(plus <= 3 && quiet <= GUARD);
        sassert(!online || guarded == (plus > 0));
    }
}
