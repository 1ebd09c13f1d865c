/*
A recursive descent over nested parentheses with a depth limit never leaves the text and returns a position inside or
at its end.
verdict: proved
*/
#include <unitproof.h>

#define MAX_DEPTH 40

static const char *text;
static size_t text_len;
static int deepest;

/* Returns the position behind the group that begins at pos. */
static size_t parse_group(size_t pos, int depth)
{
    sassert(depth <= MAX_DEPTH);
    if (depth > deepest)
        deepest = depth;
    while (pos < text_len) {
        char c = text[pos];

        if (c == ')')
            return pos + 1;
        if (c == '(') {
            if (depth == MAX_DEPTH)
                return text_len;        /* give up */
            pos = parse_group(pos + 1, depth + 1);
        } else {
            pos++;
        }
    }
    return pos;
}

int main(void)
{
    size_t n = nd_size_t();
    assume(n <= 100000);
    char *p = malloc(n);
    if (!p)
        return 0;

    text = p;
    text_len = n;
    size_t end = parse_group(0, 0);
    sassert(end <= n);
    sassert(deepest >= 0 && deepest <= MAX_DEPTH);
    free(p);
    return 0;
}
