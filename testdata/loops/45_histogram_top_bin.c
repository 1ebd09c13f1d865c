/*
A histogram over samples from 0 to 1000 inclusive computes bin 16 of 16 for the largest sample.
verdict: failed
*/
#include <unitproof.h>

#define BINS     16
#define FULLSCALE 1000

int main(void)
{
    size_t n = nd_size_t();
    assume(n <= 10000);
    uint16_t *sample = malloc(n * sizeof *sample);
    if (!sample)
        return 0;

    uint16_t last_in_bin[BINS] = { 0 };
    size_t dropped = 0;

    for (size_t i = 0; i < n; i++) {
        unsigned v = sample[i];

        if (v > FULLSCALE) {
            dropped++;
            continue;
        }
        last_in_bin[v * BINS / FULLSCALE] = (uint16_t)v; // want failed array-bounds
    }
    sassert(dropped <= n);
    sassert(last_in_bin[0] <= FULLSCALE);
    free(sample);
    return 0;
}
