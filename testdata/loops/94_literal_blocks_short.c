/*
An encoder writes blocks of up to 128 bytes with a length byte each, but its output buffer has room for two length
bytes only.
verdict: failed
*/
#include <unitproof.h>

#define BLOCK 128

int main(void)
{
    size_t n = nd_size_t();
    assume(n >= 1 && n <= 384);
    uint8_t *in = malloc(n);
    uint8_t *out = malloc(n + 2);
    if (!in || !out)
        return 0;

    size_t r = 0, w = 0;
    while (r < n) {
        size_t len = n - r;

        if (len > BLOCK)
            len = BLOCK;
        out[w] = (uint8_t)(len - 1);
        w++;
        for (size_t k = 0; k < len; k++) {
            out[w] = in[r]; // want failed out-of-bounds-write
            w++;
            r++;
        }
    }
    sassert(r == n);
    free(in);
    free(out);
    return 0;
}
