/*
An exponential backoff with random jitter shifts by at most ten and waits less than its slot count.
verdict: proved
*/
#include <unitproof.h>

#define MAX_EXP 10u

int main(void)
{
    unsigned exp = 0;
    unsigned collisions = 0;
    unsigned wait = 0;

    for (;;) {
        if (wait > 0) {
            wait--;
            continue;
        }
        if (nd_bool()) {                /* sent without collision */
            exp = 0;
            collisions = 0;
        } else {
            collisions++;
            if (exp < MAX_EXP)
                exp++;
            unsigned slots = 1u << exp;
            wait = nd_uint() % slots;
            sassert(wait < slots && slots <= 1024);
            if (collisions == 16) {     /* give the frame up */
                collisions = 0;
                exp = 0;
            }
        }
        sassert(collisions < 16);
        sassert(exp <= MAX_EXP && exp <= collisions);
        sassert(wait < 1024);
    }
}
