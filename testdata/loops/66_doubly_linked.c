/*
In a doubly linked list built at its end every successor points back to its predecessor, seen on a walk from behind.
verdict: proved
*/
#include <unitproof.h>

struct dnode {
    struct dnode *prev;
    struct dnode *next;
    int rank;
};

int main(void)
{
    struct dnode *first = NULL;
    struct dnode *last = NULL;
    int count = 0;

    while (nd_bool() && count < 10000) {
        struct dnode *d = malloc(sizeof *d);
        if (!d)
            break;
        d->rank = count++;
        d->next = NULL;
        d->prev = last;
        if (last)
            last->next = d;
        else
            first = d;
        last = d;
    }
    int steps = 0;
    for (struct dnode *d = last; d; d = d->prev) {
        sassert(d->next == NULL || d->next->prev == d);
        sassert(d->prev != NULL || d == first);
        sassert(d->rank == count - 1 - steps);
        steps++;
    }
    sassert(steps == count);
    return 0;
}
