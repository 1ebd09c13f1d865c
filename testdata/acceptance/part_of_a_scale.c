/*
A value on a scale of any size selects an element of a table.
verdict: failed
obligations: 8
*/
#include <stdint.h>
#include <unitproof.h>

int main(void)
{
    static const uint8_t curve[64];
    uint32_t x = nd_uint32_t(), most = nd_uint32_t(), step = nd_uint32_t();
    assume(most > 0 && most < 1000000 && x <= most && step <= most - x);
    x += step;
    sassert(curve[x * 63 / most] == 0);
    sassert(curve[x * 64 / most] == 0); // want failed array-bounds
}
