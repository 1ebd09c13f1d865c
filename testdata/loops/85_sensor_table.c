/*
A table of sensor records is initialised in a loop and each later update keeps its value between its own two limits.
verdict: proved
*/
#include <unitproof.h>

struct sensor {
    size_t id;
    int lo;
    int hi;
    int value;
};

int main(void)
{
    size_t n = nd_size_t();
    assume(n >= 1 && n <= 1000);
    struct sensor *tab = malloc(n * sizeof *tab);
    if (!tab)
        return 0;

    for (size_t i = 0; i < n; i++) {
        tab[i].id = i;
        tab[i].lo = -nd_uint8_t();
        tab[i].hi = tab[i].lo + nd_uint8_t();
        tab[i].value = tab[i].lo;
    }
    while (nd_bool()) {
        struct sensor *s = &tab[nd_size_t() % n];
        int v = nd_int();

        if (v < s->lo)
            v = s->lo;
        if (v > s->hi)
            v = s->hi;
        s->value = v;
    }
    for (size_t i = 0; i < n; i++) {
        sassert(tab[i].id == i);
        sassert(tab[i].lo <= tab[i].value && tab[i].value <= tab[i].hi);
        sassert(tab[i].value >= -255 && tab[i].value <= 255);
    }
    free(tab);
    return 0;
}
