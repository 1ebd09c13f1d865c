/*
Counters at an index that the data gives: each is at most the number of iterations, or twice that.
verdict: proved
obligations: 32
*/
#include <stdlib.h>
#include <unitproof.h>

int main(void) {
    size_t n = nd_size_t();
    assume(n <= 100000);
    unsigned char *s = malloc(n);
    assume(s != NULL);
    int count[256] = {0};
    int degree[32];
    for (int k = 0; k < 32; k++)
        degree[k] = 0;
    for (size_t i = 0; i < n; i++) {
        count[s[i]]++;
        degree[nd_uint() % 32]++;
        degree[s[i] % 32]++;
    }
    sassert(count['a'] <= (int)n);
    sassert(degree[nd_uint() % 32] <= 2 * (int)n);
}
