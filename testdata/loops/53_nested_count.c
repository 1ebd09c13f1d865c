/*
Two nested loops count the cells of a table and end with the product of rows and columns.
verdict: proved
*/
#include <unitproof.h>

int main(void)
{
    unsigned rows = nd_uint();
    unsigned cols = nd_uint();
    unsigned cells = 0;

    assume(rows <= 300 && cols <= 300);
    for (unsigned r = 0; r < rows; r++) {
        unsigned before = cells;
        for (unsigned c = 0; c < cols; c++)
            cells++;
        sassert(cells - before == cols);
    }
    sassert(cells == rows * cols);
    return 0;
}
