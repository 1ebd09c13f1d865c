/*
A vending machine takes coins, sells at a price of 35 and gives change in fives until no credit is left.
verdict: proved
*/
#include <unitproof.h>

#define PRICE 35

enum state { IDLE, COLLECT, VEND, CHANGE };

int main(void)
{
    enum state st = IDLE;
    int credit = 0;
    int sold = 0;

    while (sold < 1000) {
        int coin = 0;

        switch (st) {
        case IDLE:
        case COLLECT:
            if (nd_bool())
                coin = nd_bool() ? 20 : (nd_bool() ? 10 : 5);
            credit += coin;
            if (credit >= PRICE)
                st = VEND;
            else if (credit > 0)
                st = nd_bool() ? COLLECT : CHANGE;
            break;
        case VEND:
            sassert(credit >= PRICE);
            credit -= PRICE;
            sold++;
            st = credit > 0 ? CHANGE : IDLE;
            break;
        case CHANGE:
            sassert(credit >= 5);
            credit -= 5;
            if (credit == 0)
                st = IDLE;
            break;
        }
        sassert(credit % 5 == 0);
        sassert(credit >= 0 && credit < PRICE + 20);
        sassert(st != IDLE || credit == 0);
    }
    return 0;
}
