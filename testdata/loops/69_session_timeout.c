/*
A login session ends by logout or by timeout, and its user is set exactly while it lasts.
verdict: proved
*/
#include <unitproof.h>

#define TIMEOUT 300
#define MAX_TRIES 3

int main(void)
{
    bool logged_in = false;
    int user = 0;
    int idle = 0;
    int tries = 0;
    int blocked = 0;

    for (;;) {
        bool input = nd_bool();

        if (blocked > 0) {
            blocked--;
        } else if (!logged_in) {
            if (input) {
                if (nd_bool()) {
                    logged_in = true;
                    user = 1 + nd_uint8_t();
                    idle = 0;
                    tries = 0;
                } else if (++tries == MAX_TRIES) {
                    blocked = 60;
                    tries = 0;
                }
            }
        } else if (input && nd_bool()) {
            logged_in = false;          /* logout */
            user = 0;
        } else {
            idle = input ? 0 : idle + 1;
            if (idle == TIMEOUT) {
                logged_in = false;
                user = 0;
            }
        }
        sassert(logged_in == (user != 0));
        sassert(!logged_in || (idle < TIMEOUT && blocked == 0 && tries == 0));
        sassert(tries < MAX_TRIES);
    }
}
