/*
Trimming blanks at both ends of a text in place stays in the buffer and leaves no blank at the front.
verdict: proved
*/
#include <unitproof.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

int main(void)
{
    size_t n = nd_size_t();
    assume(n <= 100000);
    char *s = malloc(n);
    if (!s)
        return 0;

    size_t start = 0;
    size_t end = n;

    while (start < end && is_blank(s[start]))
        start++;
    while (end > start && is_blank(s[end - 1]))
        end--;
    for (size_t i = start; i < end; i++)
        s[i - start] = s[i];

    size_t len = end - start;
    sassert(len <= n);
    if (len > 0)
        sassert(!is_blank(s[0]));
    free(s);
    return 0;
}
