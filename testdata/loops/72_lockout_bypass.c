/*
A keypad with a lockout after three wrong keys still counts right keys during the lockout and so opens too early.
verdict: failed
*/
#include <unitproof.h>

static const uint8_t code[6] = { 4, 7, 1, 1, 9, 2 };

int main(void)
{
    unsigned idx = 0;
    unsigned wrong = 0;
    unsigned lockout = 0;
    bool open = false;

    while (!open) {
        uint8_t key = nd_uint8_t();

        if (lockout > 0)
            lockout--;
        if (key == code[idx]) {
            idx++;
            if (idx == 6)
                open = true;
        } else if (lockout == 0) {
            idx = 0;
            wrong++;
            if (wrong == 3) {
                wrong = 0;
                lockout = 100;
            }
        }
        sassert(idx <= 6 && wrong < 3);
        sassert(!open || lockout == 0); // want failed assertion
    }
    return 0;
}
