/*
A writer for bytes, words and strings of bytes keeps its length within its capacity and remembers a refused write.
verdict: proved
*/
#include <unitproof.h>

struct writer {
    uint8_t *buf;
    size_t cap;
    size_t len;
    bool overflow;
};

static void put_u8(struct writer *w, uint8_t v)
{
    if (w->len < w->cap)
        w->buf[w->len++] = v;
    else
        w->overflow = true;
}

static void put_u16(struct writer *w, uint16_t v)
{
    put_u8(w, (uint8_t)(v >> 8));
    put_u8(w, (uint8_t)(v & 0xff));
}

static void put_fill(struct writer *w, uint8_t v, size_t times)
{
    for (size_t i = 0; i < times && !w->overflow; i++)
        put_u8(w, v);
}

int main(void)
{
    size_t n = nd_size_t();
    assume(n <= 100000);
    uint8_t *buf = malloc(n);
    if (!buf)
        return 0;

    struct writer w = { buf, n, 0, false };
    while (nd_bool()) {
        if (nd_bool())
            put_u16(&w, nd_uint16_t());
        else if (nd_bool())
            put_fill(&w, 0xee, nd_uint8_t());
        else
            put_u8(&w, nd_uint8_t());
        sassert(w.len <= w.cap);
        sassert(!w.overflow || w.len == w.cap);
    }
    sassert(w.cap == n && w.buf == buf);
    free(buf);
    return 0;
}
