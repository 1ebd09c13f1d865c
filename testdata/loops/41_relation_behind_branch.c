/*
Two byte counters with steps 3 and 7 are claimed never to meet above 400, but they do at 420 after 200 steps.
verdict: failed
*/
#include <unitproof.h>

int main(void)
{
    unsigned steps = 0;
    unsigned sent = 0;
    unsigned acked = 0;

    while (steps < 1000) {
        steps++;
        if (nd_bool())
            sent += 3;
        else
            acked += 7;
        if (sent > 400 && acked > 400) {
            sassert(sent != acked); // want failed assertion
        }
    }
    sassert(steps == 1000);
    return 0;
}
