/*
Statistics gathered in a struct through a pointer keep the minimum below the maximum and the sum between the two bounds.
verdict: proved
*/
#include <unitproof.h>

struct stats {
    unsigned count;
    int min;
    int max;
    long long sum;
};

static void stats_add(struct stats *st, int v)
{
    if (st->count == 0) {
        st->min = v;
        st->max = v;
    } else if (v < st->min) {
        st->min = v;
    } else if (v > st->max) {
        st->max = v;
    }
    st->sum += v;
    st->count++;
}

int main(void)
{
    struct stats st = { 0, 0, 0, 0 };
    unsigned n = nd_uint();

    assume(n <= 100000);
    for (unsigned i = 0; i < n; i++) {
        int v = nd_int();
        if (v < -1000 || v > 1000)
            continue;
        stats_add(&st, v);
        sassert(st.min <= v && v <= st.max);
    }
    sassert(st.count <= n);
    sassert(st.min <= st.max);
    sassert(st.sum <= 1000LL * st.count && st.sum >= -1000LL * st.count);
    if (st.count > 0)
        sassert(st.sum / st.count <= 1000);
    return 0;
}
