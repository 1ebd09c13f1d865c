/*
Percentages, cells of a grid, and blocks: quotients by a number that is no constant, compared with what was multiplied.
A solver that divides bit by bit needs minutes for these.
verdict: failed
obligations: 29
*/
#include <stdint.h>
#include <stdlib.h>
#include <unitproof.h>

void percent_of_a_sum_harness(void)
{
    int total = nd_int(), done = nd_int(), chunk = nd_int();
    assume(total >= 1 && total <= 100000);
    assume(done >= 0 && done < total);
    assume(chunk > 0);
    if (chunk > total - done)
        chunk = total - done;
    done += chunk;
    int percent = done * 100 / total;
    sassert(percent >= 0);
    sassert(percent <= 100);
    sassert(percent < 100); // want failed assertion
}

void cell_of_a_grid_harness(void)
{
    size_t width = nd_size_t(), height = nd_size_t(), i = nd_size_t();
    assume(width > 0 && width <= 1000 && height <= 1000 && i < width * height);
    uint8_t *rows = malloc(height);
    assume(rows);
    rows[i / width] = 1;
    sassert(i % width < width);
    rows[(i + 1) / width] = 1; // want failed out-of-bounds-write
}

void part_of_a_scale_harness(void)
{
    static const uint8_t curve[64];
    uint32_t x = nd_uint32_t(), most = nd_uint32_t(), step = nd_uint32_t();
    assume(most > 0 && most < 1000000 && x <= most && step <= most - x);
    x += step;
    sassert(curve[x * 63 / most] == 0);
    sassert(curve[x * 64 / most] == 0); // want failed array-bounds
}
