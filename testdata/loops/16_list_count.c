/*
A walk over a list finds exactly as many nodes as were put in, and freeing it takes as many steps.
verdict: proved
*/
#include <unitproof.h>

struct item {
    struct item *next;
    unsigned tag;
};

int main(void)
{
    unsigned want = nd_uint();
    struct item *head = NULL;
    unsigned built = 0;

    assume(want <= 5000);
    while (built < want) {
        struct item *it = malloc(sizeof *it);
        if (it == NULL)
            break;
        it->tag = built;
        it->next = head;
        head = it;
        built++;
    }

    unsigned seen = 0;
    for (const struct item *p = head; p; p = p->next)
        seen++;
    sassert(seen == built);

    unsigned freed = 0;
    while (head) {
        struct item *dead = head;
        head = dead->next;
        free(dead);
        freed++;
    }
    sassert(freed == built);
    return 0;
}
