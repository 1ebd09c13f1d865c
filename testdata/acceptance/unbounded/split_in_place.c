/*
Splits a text of any length at its separators, in place, into at most eight pairs of a name and a value. The number of
iterations is a constant; each one searches twice behind what was written.
verdict: proved
obligations: 20
*/
#include <stdlib.h>
#include <string.h>
#include <unitproof.h>

struct pair {
    char *name, *value;
};

static int split(char *text, struct pair *pairs, int most)
{
    int n = 0;
    if (*text == 0)
        return -1;
    while (n < most) {
        char *end = strchr(text, ';');
        if (end)
            *end = 0;
        char *value = strchr(text, ':');
        pairs[n].name = text;
        if (value) {
            *value = 0;
            pairs[n].value = value + 1;
        } else {
            pairs[n].value = NULL;
        }
        n++;
        if (end == NULL)
            break;
        text = end + 1;
    }
    return n;
}

int main(void)
{
    size_t n = nd_size_t();
    assume(n <= 100000);
    char *text = malloc(n + 1);
    assume(text);
    memhavoc(text, n + 1);
    text[n] = 0;
    struct pair pairs[8];
    split(text, pairs, 8);
    return 0;
}
