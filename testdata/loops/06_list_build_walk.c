/*
Every node of a list that a loop builds carries a level between 1 and 5, as a walk over the list confirms.
verdict: proved
*/
#include <unitproof.h>

struct node {
    int level;
    struct node *next;
};

int main(void)
{
    struct node *head = NULL;

    while (nd_bool()) {
        struct node *nw = malloc(sizeof *nw);
        if (!nw)
            break;
        nw->level = 1 + nd_uint8_t() % 5;
        nw->next = head;
        head = nw;
    }
    for (struct node *p = head; p != NULL; p = p->next) {
        sassert(p->level >= 1);
        sassert(p->level <= 5);
    }
    return 0;
}
