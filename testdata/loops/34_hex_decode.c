/*
A hex decoder fills an output buffer of half the size and stops at the first bad digit.
verdict: proved
*/
#include <unitproof.h>

static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

int main(void)
{
    size_t n = nd_size_t();
    assume(n <= 100000);
    char *in = malloc(n);
    uint8_t *out = malloc(n / 2);
    if (!in || !out)
        return 0;

    size_t i = 0;
    size_t count = 0;

    while (i + 1 < n) {
        int hi = hex_value(in[i]);
        int lo = hex_value(in[i + 1]);

        if (hi < 0 || lo < 0)
            break;
        sassert(hi * 16 + lo <= 255);
        out[count] = (uint8_t)(hi * 16 + lo);
        count++;
        i += 2;
    }
    sassert(count * 2 == i);
    sassert(count <= n / 2);
    free(in);
    free(out);
    return 0;
}
