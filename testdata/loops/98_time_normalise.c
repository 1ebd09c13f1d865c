/*
Times as seconds and milliseconds are passed and returned by value, and each sum comes out normalised.
verdict: proved
*/
#include <unitproof.h>

struct moment {
    long sec;
    int ms;
};

static struct moment add_ms(struct moment m, int ms)
{
    m.ms += ms;
    if (m.ms >= 1000) {
        m.sec += m.ms / 1000;
        m.ms %= 1000;
    }
    return m;
}

static bool not_before(struct moment a, struct moment b)
{
    return a.sec > b.sec || (a.sec == b.sec && a.ms >= b.ms);
}

int main(void)
{
    struct moment now = { 0, 0 };
    unsigned events = nd_uint();

    assume(events <= 10000);
    for (unsigned i = 0; i < events; i++) {
        int step = nd_int();

        if (step < 0 || step > 60000)
            step = 1;
        struct moment next = add_ms(now, step);
        sassert(next.ms >= 0 && next.ms < 1000);
        sassert(not_before(next, now));
        sassert((next.sec - now.sec) * 1000 + next.ms - now.ms == step);
        now = next;
    }
    sassert(now.sec >= 0 && now.sec <= 61L * events);
    return 0;
}
