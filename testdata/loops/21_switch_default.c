/*
The default branch of a switch over a rotating three-phase counter is never taken.
verdict: proved
*/
#include <unitproof.h>

int main(void)
{
    unsigned phase = 0;
    unsigned coil_a = 0, coil_b = 0, coil_c = 0;
    size_t steps = nd_size_t();
    assume(steps <= 1000000);

    for (size_t i = 0; i < steps; i++) {
        coil_a = coil_b = coil_c = 0;
        switch (phase) {
        case 0:
            coil_a = 1;
            break;
        case 1:
            coil_b = 1;
            break;
        case 2:
            coil_c = 1;
            break;
        default:
            sassert(false);
        }
        if (nd_bool())
            phase = (phase + 1) % 3;            /* forward */
        else
            phase = phase == 0 ? 2 : phase - 1; /* backward */
        sassert(coil_a + coil_b + coil_c == 1);
    }
    return 0;
}
