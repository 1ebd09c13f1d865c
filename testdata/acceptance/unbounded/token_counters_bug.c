/*
The counter of a new token is not set, so it may be the largest number.
verdict: failed
obligations: 18
*/
#include <stdlib.h>
#include <unitproof.h>

struct token {
    int start;
    int size;
};

int main(void) {
    size_t n = nd_size_t();
    assume(n <= 100000);
    char *s = malloc(n);
    assume(s != NULL);
    struct token *t = malloc(8 * sizeof *t);
    assume(t != NULL);
    unsigned next = 0;
    int top = -1;
    for (size_t i = 0; i < n; i++) {
        if (s[i] == '[') {
            if (next == 8)
                return 0;
            t[next].start = (int)i;
            top = (int)next++;
        } else if (s[i] == ',' && top >= 0) {
            t[top].size++; // want failed signed-overflow
        } else if (s[i] == ']' && top > 0) {
            top--;
        }
    }
}
