/*
Peterson's algorithm as an interleaved state machine keeps the two processes out of the critical section together.
verdict: proved
*/
#include <unitproof.h>

enum pc { IDLE, WANT, WAITING, CRITICAL };

int main(void)
{
    enum pc pc[2] = { IDLE, IDLE };
    bool flag[2] = { false, false };
    unsigned turn = 0;

    for (;;) {
        unsigned me = nd_bool() ? 1u : 0u;
        unsigned other = 1u - me;

        switch (pc[me]) {
        case IDLE:
            if (nd_bool()) {
                flag[me] = true;
                pc[me] = WANT;
            }
            break;
        case WANT:
            turn = other;
            pc[me] = WAITING;
            break;
        case WAITING:
            if (!flag[other] || turn == me)
                pc[me] = CRITICAL;
            break;
        case CRITICAL:
            if (nd_bool()) {
                flag[me] = false;
                pc[me] = IDLE;
            }
            break;
        }
        sassert(!(pc[0] == CRITICAL && pc[1] == CRITICAL));
    }
}
