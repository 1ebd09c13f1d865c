/*
A visitor with a context pointer counts the bytes of a class in a buffer, and the two classes add up to the length.
verdict: proved
*/
#include <unitproof.h>

typedef bool (*visit_fn)(void *ctx, uint8_t byte);

struct counts {
    size_t low;
    size_t high;
};

static bool count_byte(void *ctx, uint8_t byte)
{
    struct counts *c = ctx;
    if (byte < 128)
        c->low++;
    else
        c->high++;
    return true;
}

static bool stop_at_zero(void *ctx, uint8_t byte)
{
    size_t *len = ctx;
    if (byte == 0)
        return false;
    (*len)++;
    return true;
}

static size_t for_each(const uint8_t *p, size_t n, visit_fn visit, void *ctx)
{
    size_t i = 0;

    while (i < n && visit(ctx, p[i]))
        i++;
    return i;
}

int main(void)
{
    size_t n = nd_size_t();
    assume(n <= 100000);
    uint8_t *p = malloc(n);
    if (!p)
        return 0;

    struct counts c = { 0, 0 };
    size_t all = for_each(p, n, count_byte, &c);
    sassert(all == n && c.low + c.high == n);

    size_t len = 0;
    size_t end = for_each(p, n, stop_at_zero, &len);
    sassert(end <= n && len == end);
    sassert(end == n || p[end] == 0);
    free(p);
    return 0;
}
