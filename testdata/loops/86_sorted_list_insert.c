/*
Inserting values into a list at their place through a pointer to the link keeps the list sorted.
verdict: proved
*/
#include <unitproof.h>

struct node {
    int key;
    struct node *next;
};

static struct node *insert(struct node *head, struct node *nw)
{
    struct node **link = &head;

    while (*link && (*link)->key < nw->key)
        link = &(*link)->next;
    nw->next = *link;
    *link = nw;
    return head;
}

int main(void)
{
    struct node *head = NULL;

    while (nd_bool()) {
        struct node *nw = malloc(sizeof *nw);
        if (!nw)
            break;
        nw->key = nd_int();
        nw->next = NULL;
        head = insert(head, nw);
        sassert(head != NULL);
        sassert(head->key <= nw->key);
    }
    for (struct node *p = head; p; p = p->next) {
        if (p->next)
            sassert(p->key <= p->next->key);
    }
    return 0;
}
