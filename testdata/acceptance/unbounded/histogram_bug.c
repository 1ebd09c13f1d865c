/*
An iteration may add 2 to one counter, so a counter may exceed the number of iterations.
verdict: failed
obligations: 15
*/
#include <stdlib.h>
#include <unitproof.h>

int main(void) {
    size_t n = nd_size_t();
    assume(n <= 100000);
    int degree[32] = {0};
    for (size_t i = 0; i < n; i++) {
        degree[nd_uint() % 32]++;
        degree[nd_uint() % 32]++;
    }
    sassert(degree[nd_uint() % 32] <= (int)n); // want failed assertion
}
