/*
An airlock opens a door only at the pressure of that side and never both doors.
verdict: proved
*/
#include <unitproof.h>

enum mode { SEALED, PUMPING, VENTING, INNER_OPEN, OUTER_OPEN };

int main(void)
{
    enum mode m = SEALED;
    int pressure = 100;
    bool inner = false, outer = false;

    for (;;) {
        switch (m) {
        case SEALED:
            if (pressure == 100 && nd_bool()) {
                inner = true;
                m = INNER_OPEN;
            } else if (pressure == 0 && nd_bool()) {
                outer = true;
                m = OUTER_OPEN;
            } else if (nd_bool()) {
                m = pressure == 0 ? PUMPING : VENTING;
            }
            break;
        case PUMPING:
            pressure += 5;
            if (pressure == 100)
                m = SEALED;
            break;
        case VENTING:
            pressure -= 5;
            if (pressure == 0)
                m = SEALED;
            break;
        case INNER_OPEN:
            if (nd_bool()) {
                inner = false;
                m = SEALED;
            }
            break;
        case OUTER_OPEN:
            if (nd_bool()) {
                outer = false;
                m = SEALED;
            }
            break;
        }
        sassert(!(inner && outer));
        sassert(!inner || pressure == 100);
        sassert(!outer || pressure == 0);
        sassert(pressure >= 0 && pressure <= 100);
    }
}
