/*
Random transfers between three accounts never create money and never overdraw one of them.
verdict: proved
*/
#include <unitproof.h>

int main(void)
{
    int a = 500, b = 300, c = 200;

    while (nd_bool()) {
        int amount = nd_int();

        if (amount <= 0)
            continue;
        switch (nd_uint() % 4) {
        case 0:
            if (amount <= a) {
                a -= amount;
                b += amount;
            }
            break;
        case 1:
            if (b >= amount) {
                b -= amount;
                c += amount;
            }
            break;
        case 2:
            if (c >= amount) {
                c -= amount;
                a += amount;
            }
            break;
        default:
            if (a >= 2 && a / 2 >= amount && c >= amount) {
                a -= amount;
                c -= amount;
                b += 2 * amount;
            }
            break;
        }
        sassert(a + b + c == 1000);
        sassert(a >= 0 && b >= 0 && c >= 0);
    }
    return 0;
}
