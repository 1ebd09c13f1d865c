/*
A dispatcher finds the record of a message type by search, and for an unknown type uses the NULL it got back.
verdict: failed
*/
#include <unitproof.h>

struct msg_type {
    uint8_t code;
    uint8_t min_len;
    unsigned seen;
};

static struct msg_type types[3] = {
    { 0x10, 2, 0 }, { 0x20, 4, 0 }, { 0x7f, 0, 0 }
};

static struct msg_type *find_type(uint8_t code)
{
    for (int i = 0; i < 3; i++) {
        if (types[i].code == code)
            return &types[i];
    }
    return NULL;
}

int main(void)
{
    unsigned accepted = 0;
    unsigned frames = nd_uint();

    assume(frames <= 10000);
    for (unsigned i = 0; i < frames; i++) {
        uint8_t code = nd_uint8_t();
        uint8_t len = nd_uint8_t();

        if (code < 0x10 || code > 0x7f || code % 16 != 0)
            code = 0x7f;
        struct msg_type *t = find_type(code);
        if (len < t->min_len) // want failed null-dereference
            continue;
        t->seen++;
        accepted++;
        sassert(t->seen <= accepted);
    }
    sassert(accepted <= frames);
    return 0;
}
