/*
The recursive length of a list is the number of nodes put in and equals the iterative count.
verdict: proved
*/
#include <unitproof.h>

struct cell {
    struct cell *next;
};

static unsigned length(const struct cell *c)
{
    return c == NULL ? 0 : 1 + length(c->next);
}

int main(void)
{
    struct cell *list = NULL;
    unsigned made = 0;

    while (made < 1000 && nd_bool()) {
        struct cell *c = malloc(sizeof *c);
        if (!c)
            break;
        c->next = list;
        list = c;
        made++;
    }
    unsigned walked = 0;
    for (const struct cell *c = list; c; c = c->next)
        walked++;

    unsigned len = length(list);
    sassert(len == walked);
    sassert(len == made);
    sassert((len == 0) == (list == NULL));
    return 0;
}
