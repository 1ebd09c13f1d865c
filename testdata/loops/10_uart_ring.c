/*
A UART receive ring served by an endless loop keeps head, tail and fill level consistent.
verdict: proved
*/
#include <unitproof.h>

#define RING_SIZE 16u

static uint8_t ring[RING_SIZE];

int main(void)
{
    unsigned head = 0;
    unsigned tail = 0;
    unsigned level = 0;
    unsigned checksum = 0;

    for (;;) {
        if (nd_bool() && level < RING_SIZE) {   /* receive interrupt */
            ring[head] = nd_uint8_t();
            head = (head + 1) % RING_SIZE;
            level++;
        }
        if (nd_bool() && level > 0) {           /* main task */
            checksum += ring[tail];
            tail = (tail + 1) % RING_SIZE;
            level--;
        }
        if (checksum > 60000)
            checksum = 0;
        sassert(level <= RING_SIZE);
        sassert((tail + level) % RING_SIZE == head);
    }
}
