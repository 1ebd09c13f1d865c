/*
A violation that needs quiet samples only, behind more iterations than are unrolled: independent random inputs hardly
come to it.
verdict: failed
obligations: 1
*/
#include <unitproof.h>

int main(void)
{
    unsigned samples = nd_uint(), quiet = 0, loud = 0;
    assume(samples <= 20000);
    while (samples-- > 0) {
        if (nd_int() > 10)
            quiet++;
        else
            loud++;
        if (quiet == 300)
            sassert(loud > 0); // want failed assertion
    }
}
