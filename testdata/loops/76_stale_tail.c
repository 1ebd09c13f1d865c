/*
Removing a job from the middle of a queue forgets to move the tail when it was the last, so the next append writes to
freed memory.
verdict: failed
*/
#include <unitproof.h>

struct job {
    uint8_t key;
    struct job *next;
};

static struct job *head;
static struct job *tail;

static void append(uint8_t key)
{
    struct job *j = malloc(sizeof *j);
    if (!j)
        return;
    j->key = key;
    j->next = NULL;
    if (head == NULL)
        head = j;
    else
        tail->next = j; // want failed use-after-free
    tail = j;
}

static void remove_key(uint8_t key)
{
    struct job **link = &head;

    while (*link && (*link)->key != key)
        link = &(*link)->next;
    if (*link) {
        struct job *dead = *link;
        *link = dead->next;
        free(dead);
    }
}

int main(void)
{
    while (nd_bool()) {
        if (nd_bool())
            append(nd_uint8_t());
        else
            remove_key(nd_uint8_t());
    }
    return 0;
}
