/*
A reset of an established connection forgets to clear the acknowledge flag, so the next connection opens without an
acknowledge.
verdict: failed
*/
#include <unitproof.h>

enum state { LISTEN, SYN_RCVD, ESTABLISHED };
enum event { EV_SYN, EV_ACK, EV_RST, EV_TICK };

int main(void)
{
    enum state st = LISTEN;
    bool acked = false;
    unsigned acks_here = 0;     /* acknowledges of this connection */

    for (;;) {
        unsigned ev = nd_uint() % 4;

        if (st == LISTEN && ev == EV_SYN) {
            st = SYN_RCVD;
            acks_here = 0;
        } else if (st == SYN_RCVD && ev == EV_ACK) {
            acked = true;
            if (acks_here < 10)
                acks_here++;
        } else if (st == SYN_RCVD && ev == EV_TICK && acked) {
            st = ESTABLISHED;
        } else if (st == SYN_RCVD && ev == EV_RST) {
            st = LISTEN;
            acked = false;
        } else if (st == ESTABLISHED && ev == EV_RST) {
            st = LISTEN;
        }
        sassert(st != ESTABLISHED || acks_here > 0); // want failed assertion
    }
}
