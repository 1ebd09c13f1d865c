/*
The row of a cell: a quotient of numbers that are no constants is below one of the factors of a product.
verdict: failed
obligations: 8
*/
#include <stdint.h>
#include <stdlib.h>
#include <unitproof.h>

int main(void)
{
    size_t width = nd_size_t(), height = nd_size_t(), i = nd_size_t();
    assume(width > 0 && width <= 1000 && height <= 1000 && i < width * height);
    uint8_t *rows = malloc(height);
    assume(rows);
    rows[i / width] = 1;
    sassert(i % width < width);
    rows[(i + 1) / width] = 1; // want failed out-of-bounds-write
}
