/*
A queue with a head and a tail pointer appends and removes nodes, the tail always being the last node.
verdict: proved
*/
#include <unitproof.h>

struct node {
    struct node *next;
    int job;
};

int main(void)
{
    struct node *head = NULL;
    struct node *tail = NULL;

    for (;;) {
        if (nd_bool()) {
            struct node *n = malloc(sizeof *n);
            if (!n)
                continue;
            n->job = nd_uint8_t();
            n->next = NULL;
            if (tail)
                tail->next = n;
            else
                head = n;
            tail = n;
        } else if (head) {
            struct node *n = head;
            head = n->next;
            if (!head)
                tail = NULL;
            sassert(n->job >= 0 && n->job <= 255);
            free(n);
        }
        sassert((head == NULL) == (tail == NULL));
        sassert(tail == NULL || tail->next == NULL);
    }
}
