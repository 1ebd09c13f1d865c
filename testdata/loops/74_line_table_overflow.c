/*
A line splitter stores the start of each line in a table of 64 and checks the limit one line too late.
verdict: failed
*/
#include <unitproof.h>

#define MAX_LINES 64

int main(void)
{
    size_t n = nd_size_t();
    assume(n <= 100000);
    char *text = malloc(n);
    if (!text)
        return 0;

    size_t start[MAX_LINES];
    unsigned lines = 0;

    start[lines++] = 0;
    for (size_t i = 0; i < n; i++) {
        if (text[i] != '\n')
            continue;
        if (lines > MAX_LINES)
            break;
        start[lines] = i + 1; // want failed array-bounds
        lines++;
    }
    for (unsigned k = 0; k + 1 < lines && k + 1 < MAX_LINES; k++)
        sassert(start[k] < start[k + 1]);
    free(text);
    return 0;
}
