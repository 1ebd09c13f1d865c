/*
The clean-up loop frees a node and only then reads its link.
verdict: failed
*/
#include <unitproof.h>

struct node {
    int key;
    struct node *next;
};

static void release(struct node *p)
{
    p->key = -1;
    free(p);
}

int main(void)
{
    struct node *head = NULL;
    struct node **link = &head;
    int n = nd_int();

    assume(n >= 0 && n <= 1000);
    for (int i = 0; i < n; i++) {
        struct node *p = malloc(sizeof *p);
        if (!p)
            break;
        p->key = i;
        p->next = NULL;
        *link = p;
        link = &p->next;
    }
    int last = -1;
    for (struct node *p = head; p; p = p->next) {
        sassert(p->key == last + 1);
        last = p->key;
    }
    struct node *p = head;
    while (p) {
        release(p);
        p = p->next; // want failed use-after-free
    }
    return 0;
}
