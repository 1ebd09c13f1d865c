/*
A two-phase commit with three participants never has one that committed beside one that aborted.
verdict: proved
*/
#include <unitproof.h>

enum part { P_IDLE, P_READY, P_COMMITTED, P_ABORTED };
enum coord { C_VOTING, C_COMMIT, C_ABORT };

int main(void)
{
    enum part p[3] = { P_IDLE, P_IDLE, P_IDLE };
    enum coord c = C_VOTING;

    for (;;) {
        unsigned i = nd_uint() % 3;

        switch (c) {
        case C_VOTING:
            if (p[i] == P_IDLE)
                p[i] = nd_bool() ? P_READY : P_ABORTED;
            else if (p[0] == P_READY && p[1] == P_READY && p[2] == P_READY)
                c = C_COMMIT;
            else if (nd_bool())
                c = C_ABORT;            /* a vote against, or a timeout */
            break;
        case C_COMMIT:
            p[i] = P_COMMITTED;
            break;
        case C_ABORT:
            p[i] = P_ABORTED;
            break;
        }
        for (unsigned k = 0; k < 3; k++) {
            if (p[k] == P_COMMITTED) {
                sassert(c == C_COMMIT);
                sassert(p[0] != P_ABORTED && p[1] != P_ABORTED && p[2] != P_ABORTED);
            }
        }
        if ((p[0] == P_COMMITTED && p[1] == P_COMMITTED && p[2] == P_COMMITTED) ||
            (p[0] == P_ABORTED && p[1] == P_ABORTED && p[2] == P_ABORTED)) {
            p[0] = p[1] = p[2] = P_IDLE;
            c = C_VOTING;
        }
    }
}
