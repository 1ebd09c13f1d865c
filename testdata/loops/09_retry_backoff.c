/*
A retry loop doubles its delay at each attempt and stays within the total time allowed for five attempts.
verdict: proved
*/
#include <unitproof.h>

#define MAX_ATTEMPTS 5

int main(void)
{
    unsigned requests = nd_uint();

    assume(requests <= 100000);
    for (unsigned i = 0; i < requests; i++) {
        unsigned attempt = 0;
        unsigned delay = 1;
        unsigned waited = 0;
        bool ok = false;

        while (!ok && attempt < MAX_ATTEMPTS) {
            ok = nd_bool();
            if (!ok) {
                waited += delay;
                delay *= 2;
                attempt++;
            }
        }
        sassert(delay == 1u << attempt);
        sassert(waited == delay - 1);
        sassert(ok || waited == 31);
    }
    return 0;
}
