/*
A lookup helper reports success for the wildcard key without setting its out parameter.
verdict: failed
flags: --check uninitialized-read
*/
#include <unitproof.h>

struct route {
    uint8_t key;
    int cost;
};

static bool lookup(const struct route *tab, size_t n, uint8_t key, int *cost)
{
    if (key == 255)
        return true;            /* wildcard: always reachable */
    for (size_t i = 0; i < n; i++) {
        if (tab[i].key == key) {
            *cost = tab[i].cost;
            return true;
        }
    }
    return false;
}

int main(void)
{
    static const struct route tab[4] = { { 1, 10 }, { 7, 30 }, { 9, 5 }, { 40, 2 } };
    int best = 1000;

    for (int tries = 0; tries < 500; tries++) {
        int cost;
        uint8_t key = nd_uint8_t();

        if (lookup(tab, 4, key, &cost)) {
            if (cost < best) // want failed uninitialized-read
                best = cost;
        }
    }
    return best > 1000;
}
