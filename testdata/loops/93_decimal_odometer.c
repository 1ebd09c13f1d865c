/*
An odometer of three decimal digits shows the number of steps modulo a thousand.
verdict: proved
*/
#include <unitproof.h>

int main(void)
{
    unsigned ones = 0, tens = 0, hundreds = 0;
    unsigned count = 0;
    unsigned rollovers = 0;

    while (count < 1000000 && nd_bool()) {
        count++;
        ones++;
        if (ones == 10) {
            ones = 0;
            tens++;
            if (tens == 10) {
                tens = 0;
                hundreds++;
                if (hundreds == 10) {
                    hundreds = 0;
                    rollovers++;
                }
            }
        }
        sassert(ones < 10 && tens < 10 && hundreds < 10);
        sassert(1000 * rollovers + 100 * hundreds + 10 * tens + ones == count);
    }
    sassert(100 * hundreds + 10 * tens + ones == count % 1000);
    return 0;
}
