/*
A helper that states the invariant of an account is called after each booking, hold and release.
verdict: proved
*/
#include <unitproof.h>

#define MAX_BALANCE 1000000

struct account {
    int balance;
    int held;
    unsigned bookings;
};

static void account_check(const struct account *a)
{
    sassert(a->balance >= 0 && a->balance <= MAX_BALANCE);
    sassert(a->held >= 0);
    sassert(a->held <= a->balance);
}

static void book(struct account *a, int amount)
{
    if (amount > 0 && amount <= MAX_BALANCE - a->balance) {
        a->balance += amount;
        a->bookings++;
    } else if (amount < 0 && amount >= -(a->balance - a->held)) {
        a->balance += amount;
        a->bookings++;
    }
}

int main(void)
{
    struct account acc = { 0, 0, 0 };

    account_check(&acc);
    while (nd_bool()) {
        int v = nd_int();

        switch (nd_uint8_t() % 3) {
        case 0:
            book(&acc, v);
            break;
        case 1:
            if (v >= 0 && v <= acc.balance - acc.held)
                acc.held += v;
            break;
        default:
            if (v >= 0 && v <= acc.held)
                acc.held -= v;
            break;
        }
        account_check(&acc);
    }
    return 0;
}
