/*
An activation sets the counter back behind its inner call, for one key only. The sum that holds in all other executions
may not be proved.
verdict: bounded
obligations: 9
*/
#include <unitproof.h>

static bool magic;
static unsigned count;

static void walk(unsigned n)
{
    if (n == 0)
        return;
    count++;
    walk(n - 1); // want bounded unwinding
    if (magic && n == 450)
        count = 0;
}

int main(void)
{
    unsigned n = nd_uint(), key = nd_uint();
    assume(n >= 500 && n <= 1000);
    magic = key * 2654435761u == 0xdeadbeef;
    walk(n);
    sassert(count == n); // want bounded assertion
    sassert(n >= 500);
    return 0;
}
