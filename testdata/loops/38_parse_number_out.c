/*
A number parser with an out parameter sets it whenever it reports success and never exceeds its limit.
verdict: proved
*/
#include <unitproof.h>

enum result { NUM_OK, NUM_EMPTY, NUM_TOO_BIG };

static enum result parse_number(const char *s, size_t n, size_t *pos, int *out)
{
    int value = 0;
    size_t start = *pos;

    while (*pos < n && s[*pos] >= '0' && s[*pos] <= '9') {
        value = value * 10 + (s[*pos] - '0');
        if (value > 65535)
            return NUM_TOO_BIG;
        (*pos)++;
    }
    if (*pos == start)
        return NUM_EMPTY;
    *out = value;
    return NUM_OK;
}

int main(void)
{
    size_t n = nd_size_t();
    assume(n <= 100000);
    char *s = malloc(n);
    if (!s)
        return 0;

    size_t pos = 0;
    long total = 0;
    while (pos < n && total < 1000000) {
        int v;
        enum result r = parse_number(s, n, &pos, &v);

        if (r == NUM_OK) {
            sassert(v >= 0 && v <= 65535);
            total += v;
        } else {
            pos++;
        }
    }
    sassert(pos <= n);
    sassert(total < 1000000 + 65536);
    free(s);
    return 0;
}
