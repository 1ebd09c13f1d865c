/*
A message phase runs through the even values only, until a late resynchronisation makes it odd and the switch meets
its default.
verdict: failed
*/
#include <unitproof.h>

int main(void)
{
    unsigned phase = 0;
    unsigned since_sync = 0;
    unsigned sum = 0;

    while (nd_bool()) {
        switch (phase) {
        case 0:
            sum += 1;
            break;
        case 2:
            sum += 3;
            break;
        case 4:
            sum ^= 5;
            break;
        case 6:
            sum = 0;
            break;
        default:
            sassert(0); // want failed assertion
        }
        phase = (phase + 2) % 8;
        since_sync++;
        if (since_sync >= 120) {
            since_sync = 0;
            if (phase == 0)
                phase = 7;
        }
    }
    return sum > 100000 ? 1 : 0;
}
