/*
A percent decoder checks only one of the two digits behind the percent sign and reads past the end of the text.
verdict: failed
*/
#include <unitproof.h>

static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

int main(void)
{
    size_t n = nd_size_t();
    assume(n <= 100000);
    char *s = malloc(n);
    if (!s)
        return 0;

    size_t r = 0, w = 0;
    while (r < n) {
        char c = s[r];

        if (c == '%' && r + 1 < n && hex_value(s[r + 1]) >= 0) {
            int hi = hex_value(s[r + 1]);
            int lo = hex_value(s[r + 2]); // want failed out-of-bounds-read

            if (lo >= 0) {
                c = (char)(hi * 16 + lo);
                r += 2;
            }
        } else if (c == '+') {
            c = ' ';
        }
        s[w++] = c;
        r++;
    }
    sassert(w <= n);
    free(s);
    return 0;
}
