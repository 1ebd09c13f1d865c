/*
A robot marks the cells of a grid with 60 rows and 100 columns, but the row is held in the limit of the columns.
verdict: failed
*/
#include <unitproof.h>

#define W 100
#define H 60

static uint8_t visited[H][W];

int main(void)
{
    int x = 0, y = 0;
    unsigned steps = nd_uint();

    assume(steps <= 10000);
    for (unsigned i = 0; i < steps; i++) {
        switch (nd_uint() % 4) {
        case 0:
            if (x < W - 1)
                x++;
            break;
        case 1:
            if (x > 0)
                x--;
            break;
        case 2:
            if (y < W - 1)
                y++;
            break;
        default:
            if (y > 0)
                y--;
            break;
        }
        sassert(x >= 0 && x < W && y >= 0);
        visited[y][x] = 1; // want failed array-bounds
    }
    return 0;
}
