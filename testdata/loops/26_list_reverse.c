/*
Reversing a list in place keeps the property of its nodes and leaves no list only if there was none.
verdict: proved
*/
#include <unitproof.h>

struct node {
    struct node *next;
    int value;
};

static struct node *reverse(struct node *head)
{
    struct node *done = NULL;

    while (head) {
        struct node *rest = head->next;
        head->next = done;
        done = head;
        head = rest;
    }
    return done;
}

int main(void)
{
    struct node *list = NULL;

    while (nd_bool()) {
        struct node *p = malloc(sizeof *p);
        if (!p)
            break;
        p->value = nd_int();
        if (p->value < 0)
            p->value = 0;
        p->next = list;
        list = p;
    }
    bool empty = (list == NULL);
    list = reverse(list);
    sassert(empty == (list == NULL));

    while (list) {
        struct node *p = list;
        sassert(p->value >= 0);
        list = p->next;
        free(p);
    }
    return 0;
}
