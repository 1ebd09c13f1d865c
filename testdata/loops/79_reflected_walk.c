/*
A random walk with steps of different size is reflected at two walls and never leaves the corridor.
verdict: proved
*/
#include <unitproof.h>

#define WALL 50

int main(void)
{
    int pos = 0;
    int reflections = 0;
    size_t steps = nd_size_t();

    assume(steps <= 1000000);
    for (size_t i = 0; i < steps; i++) {
        int step = 1 + nd_uint8_t() % 3;

        if (nd_bool())
            step = -step;
        pos += step;
        if (pos > WALL) {
            pos = 2 * WALL - pos;
            reflections++;
        } else if (pos < -WALL) {
            pos = -2 * WALL - pos;
            reflections++;
        }
        sassert(pos >= -WALL && pos <= WALL);
        sassert(reflections <= (int)i + 1);
    }
    return 0;
}
