/*
A console collects a command line with backspace, but its length check lets character 65 into a buffer of 64.
verdict: failed
*/
#include <unitproof.h>

#define CMD_MAX 64

int main(void)
{
    char line[CMD_MAX] = { 0 };
    unsigned len = 0;
    unsigned commands = 0;

    for (;;) {
        int c = nd_uint8_t() & 0x7f;

        if (c == '\n' || c == '\r') {
            if (len > 0 && line[0] == '!')
                commands = (commands + 1) % 1000;
            len = 0;
        } else if (c == '\b') {
            if (len > 0)
                len--;
        } else if (len <= CMD_MAX) {
            line[len] = (char)c; // want failed array-bounds
            len++;
        }
        sassert(commands < 1000);
    }
}
