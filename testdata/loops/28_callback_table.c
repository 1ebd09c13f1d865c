/*
Commands are carried out through a table of functions whose index is masked, and each keeps the level in its range.
verdict: proved
*/
#include <unitproof.h>

typedef int (*handler_fn)(int level);

static int up(int level)
{
    return level < 100 ? level + 1 : level;
}

static int down(int level)
{
    return level > 0 ? level - 1 : 0;
}

static int half(int level)
{
    return level / 2;
}

static int mirror(int level)
{
    return 100 - level;
}

static const handler_fn table[4] = { up, down, half, mirror };

int main(void)
{
    int level = 50;

    while (nd_bool()) {
        uint8_t cmd = nd_uint8_t();

        level = table[cmd & 3](level);
        sassert(level >= 0 && level <= 100);
    }
    return 0;
}
