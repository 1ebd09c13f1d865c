/*
The inner call changes a variable of the outer one, close to the end of a deep recursion and for one key only, which
neither unrolling nor random inputs find. Nothing may be proved of it.
verdict: unknown
obligations: 10
*/
#include <unitproof.h>

static bool magic;

static void fill(unsigned n, int *p)
{
    int x = 0;
    if (p && n < 5)
        *p = 3; // want unknown null-dereference // want bounded invalid-pointer // want bounded out-of-bounds-write
    if (n > 0) {
        fill(n - 1, &x); // want bounded unwinding
        if (n < 4 && magic) // want bounded out-of-bounds-read
            sassert(x == 0); // want bounded assertion // want bounded out-of-bounds-read
    }
}

int main(void)
{
    unsigned n = nd_uint(), key = nd_uint();
    assume(n >= 500 && n <= 1000);
    magic = key * 2654435761u == 0xdeadbeef;
    fill(n, NULL);
    sassert(n >= 500); // want bounded assertion
    return 0;
}
