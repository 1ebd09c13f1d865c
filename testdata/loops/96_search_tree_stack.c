/*
A binary search tree grown by insertion is walked with an explicit stack, and each child lies on its side of the parent.
verdict: proved
*/
#include <unitproof.h>

#define STACK_MAX 64

struct tree {
    uint8_t key;
    struct tree *left;
    struct tree *right;
};

int main(void)
{
    struct tree *root = NULL;

    while (nd_bool()) {
        struct tree *t = malloc(sizeof *t);
        if (!t)
            break;
        t->key = nd_uint8_t();
        t->left = t->right = NULL;

        struct tree **link = &root;
        while (*link && (*link)->key != t->key)
            link = t->key < (*link)->key ? &(*link)->left : &(*link)->right;
        if (*link)
            free(t);            /* known already */
        else
            *link = t;
    }

    struct tree *stack[STACK_MAX];
    unsigned sp = 0;
    if (root)
        stack[sp++] = root;
    while (sp > 0) {
        struct tree *t = stack[--sp];

        sassert(t->left == NULL || t->left->key < t->key);
        sassert(t->right == NULL || t->right->key > t->key);
        if (t->left && sp < STACK_MAX)
            stack[sp++] = t->left;
        if (t->right && sp < STACK_MAX)
            stack[sp++] = t->right;
        sassert(sp <= STACK_MAX);
    }
    return 0;
}
