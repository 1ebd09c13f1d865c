/*
A distance matrix filled above the diagonal and mirrored below it is symmetric with a zero diagonal.
verdict: proved
*/
#include <unitproof.h>

#define N 40

static int dist[N][N];

int main(void)
{
    for (int i = 0; i < N; i++) {
        dist[i][i] = 0;
        for (int j = i + 1; j < N; j++) {
            int d = 1 + nd_uint8_t();
            dist[i][j] = d;
            dist[j][i] = d;
        }
    }

    unsigned a = nd_uint();
    unsigned b = nd_uint();
    assume(a < N && b < N);
    sassert(dist[a][b] == dist[b][a]);
    sassert((a == b) == (dist[a][b] == 0));
    sassert(dist[a][b] <= 256);
    return 0;
}
