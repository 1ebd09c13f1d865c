/*
An integrating debouncer keeps its counter inside the rails and the output agrees with the rail that was reached.
verdict: proved
*/
#include <unitproof.h>

#define DEBOUNCE_MAX 20

int main(void)
{
    int integ = 0;
    bool out = false;

    for (;;) {
        bool raw = nd_bool();

        if (raw) {
            if (integ < DEBOUNCE_MAX)
                integ++;
        } else {
            if (integ > 0)
                integ--;
        }
        if (integ == 0)
            out = false;
        else if (integ >= DEBOUNCE_MAX)
            out = true;

        sassert(integ >= 0 && integ <= DEBOUNCE_MAX);
        sassert(!(integ == DEBOUNCE_MAX && !out));
        sassert(!(integ == 0 && out));
    }
}
