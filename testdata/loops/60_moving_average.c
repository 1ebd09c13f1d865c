/*
A moving average over a window of four samples keeps its running sum equal to the sum of the window.
verdict: proved
*/
#include <unitproof.h>

int main(void)
{
    uint8_t win[4] = { 0, 0, 0, 0 };
    unsigned sum = 0;
    unsigned pos = 0;

    for (;;) {
        uint8_t sample = nd_uint8_t();

        sum -= win[pos];
        win[pos] = sample;
        sum += sample;
        pos = (pos + 1) & 3;

        unsigned average = sum / 4;
        sassert(average <= 255);
        sassert(sum == (unsigned)win[0] + win[1] + win[2] + win[3]);
        sassert(4 * average + 3 >= sum);
    }
}
