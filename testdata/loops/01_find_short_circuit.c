/*
A linear search ends with a hit at a valid place or after the whole buffer, stated with short-circuit assertions.
verdict: proved
*/
#include <unitproof.h>

int main(void)
{
    size_t n = nd_size_t();
    assume(n <= 100000);
    char *buf = malloc(n);
    if (!buf)
        return 0;

    char key = (char)nd_uint8_t();
    size_t pos = 0;
    bool found = false;

    while (!found && pos < n) {
        if (buf[pos] == key)
            found = true;
        else
            pos++;
    }

    sassert(!found || (pos < n && buf[pos] == key));
    sassert(found || pos == n);
    free(buf);
    return 0;
}
