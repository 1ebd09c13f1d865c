/*
A helper that decodes a variable-length number moves the caller's position by one to five bytes and shifts by less
than 32.
verdict: proved
*/
#include <unitproof.h>

static bool read_varint(const uint8_t *p, size_t n, size_t *pos, uint32_t *out)
{
    uint32_t value = 0;
    unsigned shift = 0;
    size_t i = *pos;

    while (i < n && shift < 35) {
        uint8_t b = p[i++];

        sassert(shift <= 28 && shift % 7 == 0);
        value |= (uint32_t)(b & 0x7f) << shift;
        if ((b & 0x80) == 0) {
            *pos = i;
            *out = value;
            return true;
        }
        shift += 7;
    }
    return false;               /* truncated or too long */
}

int main(void)
{
    size_t n = nd_size_t();
    assume(n <= 100000);
    uint8_t *p = malloc(n);
    if (!p)
        return 0;

    size_t pos = 0;
    size_t numbers = 0;
    uint32_t v = 0, largest = 0;

    while (pos < n) {
        size_t before = pos;

        if (!read_varint(p, n, &pos, &v))
            break;
        sassert(pos > before && pos - before <= 5);
        if (v > largest)
            largest = v;
        numbers++;
    }
    sassert(pos <= n && numbers <= pos);
    sassert(largest >= v || numbers == 0);
    free(p);
    return 0;
}
