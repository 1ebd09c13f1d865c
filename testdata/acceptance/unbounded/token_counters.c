/*
A table of tokens that is written up to `next`. Behind it, the counters are arbitrary.
verdict: proved
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
    struct token t[8];
    unsigned next = 0;
    int top = -1;
    for (size_t i = 0; i < n; i++) {
        if (s[i] == '[') {
            if (next == 8)
                return 0;
            t[next].start = (int)i;
            t[next].size = 0;
            top = (int)next++;
        } else if (s[i] == ',' && top >= 0) {
            t[top].size++;
        } else if (s[i] == ']' && top > 0) {
            top--;
        }
    }
}
