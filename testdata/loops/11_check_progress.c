/*
A progress display computed from the bytes done so far stays between 0 and 100 percent, checked in a helper.
verdict: proved
*/
#include <unitproof.h>

static void check_percent(int pct)
{
    sassert(pct >= 0);
    sassert(pct <= 100);
}

int main(void)
{
    int total = nd_int();
    int done = 0;

    assume(total >= 1 && total <= 100000);
    check_percent(0);
    while (done < total) {
        int chunk = nd_int();

        if (chunk <= 0)
            continue;           /* nothing arrived */
        if (chunk > total - done)
            chunk = total - done;
        done += chunk;
        check_percent(done * 100 / total);
    }
    sassert(done == total);
    check_percent(done * 100 / total);
    return 0;
}
