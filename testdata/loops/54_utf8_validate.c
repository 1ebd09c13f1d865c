/*
A UTF-8 checker reads whole sequences only where they fit, and its code points stay in the range of four-byte sequences.
verdict: proved
*/
#include <unitproof.h>

/* Length of the sequence that a lead byte announces, 0 for a bad one. */
static size_t sequence_length(uint8_t lead)
{
    if (lead < 0x80)
        return 1;
    if ((lead & 0xe0) == 0xc0)
        return 2;
    if ((lead & 0xf0) == 0xe0)
        return 3;
    if ((lead & 0xf8) == 0xf0)
        return 4;
    return 0;
}

int main(void)
{
    size_t n = nd_size_t();
    assume(n <= 100000);
    uint8_t *s = malloc(n);
    if (!s)
        return 0;

    size_t pos = 0, chars = 0;
    bool valid = true;

    while (valid && pos < n) {
        size_t len = sequence_length(s[pos]);

        if (len == 0 || len > n - pos) {
            valid = false;
            break;
        }
        uint32_t cp = len == 1 ? s[pos] : (uint32_t)s[pos] & (0x7fu >> len);
        for (size_t k = 1; k < len; k++) {
            if ((s[pos + k] & 0xc0) != 0x80)
                valid = false;
            cp = (cp << 6) | (s[pos + k] & 0x3fu);
        }
        sassert(cp < 0x200000);
        pos += len;
        chars++;
    }
    sassert(pos <= n && chars <= pos);
    sassert(!valid || pos == n);
    free(s);
    return 0;
}
