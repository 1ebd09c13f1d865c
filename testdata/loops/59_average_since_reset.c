/*
A report divides by the number of samples since the last reset, which may have come just before it.
verdict: failed
*/
#include <unitproof.h>

int main(void)
{
    unsigned sum = 0;
    unsigned count = 0;
    unsigned high = 0;

    for (;;) {
        switch (nd_uint() % 4) {
        case 0:
        case 1:
            if (count < 1000) {
                sum += nd_uint8_t();
                count++;
            }
            break;
        case 2:
            if (count >= 10) {
                sum = 0;
                count = 0;
            }
            break;
        default:
            if (sum == 0 && count < 3 && high == 0)
                break;          /* nothing to report yet */
            unsigned avg = sum / count; // want failed division-by-zero
            sassert(avg <= 255);
            if (avg > high)
                high = avg;
            break;
        }
        sassert(sum <= 255 * count);
    }
}
