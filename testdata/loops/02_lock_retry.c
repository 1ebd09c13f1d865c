/*
The classic driver loop that releases the lock only when it has changed the request number always unlocks a held lock.
verdict: proved
*/
#include <unitproof.h>

static int locked;

static void lock(void)
{
    sassert(locked == 0);
    locked = 1;
}

static void unlock(void)
{
    sassert(locked == 1);
    locked = 0;
}

int main(void)
{
    unsigned done = nd_uint();
    unsigned seen;

    do {
        lock();
        seen = done;
        if (nd_bool()) {
            unlock();
            done++;
        }
    } while (seen != done);
    unlock();
    sassert(locked == 0);
    return 0;
}
