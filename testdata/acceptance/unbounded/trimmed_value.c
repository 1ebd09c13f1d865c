/*
A function finds a value in a text and gives it back through pointers, behind several exits. A loop then takes blanks
from its end, backwards, until it meets the begin of the value: a pointer that is a choice between several places.
verdict: proved
obligations: 29
*/
#include <stdlib.h>
#include <unitproof.h>

static const char *line_end(const char *p, const char *end, const char **value, size_t *len)
{
    const char *start = p;
    for (; p != end; p++) {
        if (*p == '\r' || *p == '\n')
            break;
        if (*p == 0)
            return NULL;
    }
    if (p == end)
        return NULL;
    if (*p == '\r') {
        p++;
        if (p == end || *p != '\n')
            return NULL;
        *len = p - 1 - start;
    } else {
        *len = p - start;
    }
    *value = start;
    return p + 1;
}

int main(void)
{
    size_t n = nd_size_t();
    assume(n <= 100000);
    char *s = malloc(n);
    assume(s);
    const char *p = s, *end = s + n;
    size_t longest = 0;
    while (p != end) {
        const char *value;
        size_t len;
        if (*p == ' ')
            p++;
        p = line_end(p, end, &value, &len);
        if (!p)
            break;
        const char *last = value + len;
        for (; last != value; last--) {
            char c = last[-1];
            if (c != ' ' && c != '\t')
                break;
        }
        if ((size_t)(last - value) > longest)
            longest = last - value;
    }
    sassert(longest <= n);
    free(s);
    return 0;
}
