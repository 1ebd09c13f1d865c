/*
A small counter of missed signals wraps: the violation needs the same input 256 times in a row, in a loop without an
exit.
verdict: failed
obligations: 1
*/
#include <stdint.h>
#include <unitproof.h>

int main(void)
{
    uint8_t missed = 0;
    unsigned since = 0;
    for (;;) {
        if (nd_bool()) {
            missed = 0;
            since = 0;
        } else {
            missed++;
            if (since < 5000)
                since++;
        }
        sassert(since < 100 || missed >= 100); // want failed assertion
    }
}
