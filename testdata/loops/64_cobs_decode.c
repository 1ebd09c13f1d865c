/*
A decoder for consistent overhead byte stuffing writes less than it reads and stays in both buffers.
verdict: proved
*/
#include <unitproof.h>

int main(void)
{
    size_t n = nd_size_t();
    assume(n <= 100000);
    uint8_t *in = malloc(n);
    uint8_t *out = malloc(n);
    if (!in || !out)
        return 0;

    size_t r = 0;
    size_t w = 0;

    while (r < n) {
        uint8_t code = in[r++];

        if (code == 0)
            break;                      /* end of the frame */
        uint8_t left = code - 1;
        while (left > 0 && r < n) {
            out[w++] = in[r++];
            left--;
        }
        if (left > 0)
            break;                      /* truncated */
        if (code != 0xff && r < n)
            out[w++] = 0;
        sassert(w <= r);
    }
    sassert(r <= n);
    sassert(w <= n && w <= r);
    free(in);
    free(out);
    return 0;
}
