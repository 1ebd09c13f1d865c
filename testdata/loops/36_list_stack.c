/*
A stack of linked nodes that each remember their depth agrees with the counter of the stack at every pop.
verdict: proved
*/
#include <unitproof.h>

struct frame {
    unsigned depth;
    struct frame *below;
};

int main(void)
{
    struct frame *top = NULL;
    unsigned count = 0;

    for (;;) {
        if (nd_bool()) {
            if (count < 1000) {
                struct frame *f = malloc(sizeof *f);
                if (f) {
                    count++;
                    f->depth = count;
                    f->below = top;
                    top = f;
                }
            }
        } else if (top) {
            struct frame *f = top;
            sassert(f->depth == count);
            top = f->below;
            free(f);
            count--;
        }
        sassert((top == NULL) == (count == 0));
        sassert(count <= 1000);
    }
}
