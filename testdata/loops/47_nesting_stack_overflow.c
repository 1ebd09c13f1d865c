/*
A recursive bracket parser records the opening position per depth but its depth check is off by one at 32 levels.
verdict: failed
*/
#include <unitproof.h>

#define MAX_DEPTH 32

static size_t open_pos[MAX_DEPTH];

static size_t parse(const char *s, size_t n, size_t pos, unsigned depth)
{
    if (depth > MAX_DEPTH)
        return n;
    open_pos[depth] = pos; // want failed array-bounds
    while (pos < n && s[pos] != ']') {
        if (s[pos] == '[')
            pos = parse(s, n, pos + 1, depth + 1);
        else
            pos++;
    }
    return pos < n ? pos + 1 : n;
}

int main(void)
{
    size_t n = nd_size_t();
    assume(n <= 100000);
    char *s = malloc(n);
    if (!s)
        return 0;

    size_t end = parse(s, n, 0, 0);
    sassert(end <= n);
    sassert(open_pos[0] == 0);
    free(s);
    return 0;
}
