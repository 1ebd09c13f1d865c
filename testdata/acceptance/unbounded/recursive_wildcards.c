/*
A recursion that walks in two strings by pointer and length, with the length of the pattern as a special case: what
strlen returns is unknown in the states that executions show, but never used.
verdict: proved
obligations: 10
*/
#include <stdlib.h>
#include <string.h>
#include <unitproof.h>

static _Bool matches(const char *p, long plen, const char *s, long slen) {
    if (plen < 0)
        plen = (long)strlen(p);
    while (plen > 0) {
        if (*p == '*') {
            if (plen == 1)
                return 1;
            if (matches(p + 1, plen - 1, s, slen))
                return 1;
            if (slen == 0)
                return 0;
            s++;
            slen--;
            continue;
        }
        if (slen == 0 || *p != '?' && *p != *s)
            return 0;
        p++;
        plen--;
        s++;
        slen--;
    }
    return slen == 0;
}

int main(void) {
    size_t n = nd_size_t();
    assume(n <= 100000);
    char *s = malloc(n);
    assume(s != NULL);
    matches("a*b?", 4, s, (long)n);
}
