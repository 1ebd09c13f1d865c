/*
A recursive search returns a pointer into a text of any length, or NULL.
verdict: proved
obligations: 10
*/
#include <stdlib.h>
#include <unitproof.h>

static const char *find(const char *p, const char *end, char c)
{
    if (p == end)
        return NULL;
    if (*p == c)
        return p;
    return find(p + 1, end, c);
}

int main(void)
{
    size_t n = nd_size_t();
    assume(n <= 100000);
    char *text = malloc(n);
    if (!text)
        return 0;
    const char *p = find(text, text + n, 'x');
    if (p) {
        sassert(p < text + n);
        sassert(*p == 'x');
    }
    free(text);
    return 0;
}
