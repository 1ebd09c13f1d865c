/*
After 250 bad frames in a row the link goes into fault mode, where the log wrongly takes for granted that a good frame
came before.
verdict: failed
*/
#include <unitproof.h>

enum mode { RUN, FAULT };

int main(void)
{
    enum mode m = RUN;
    unsigned bad_row = 0;
    unsigned good = 0;
    unsigned frames = nd_uint();

    assume(frames <= 10000);
    for (unsigned i = 0; i < frames; i++) {
        if (m == RUN) {
            if (nd_bool()) {
                good++;
                bad_row = 0;
            } else {
                bad_row++;
                if (bad_row == 250)
                    m = FAULT;
            }
        }
        if (m == FAULT) {
            sassert(bad_row == 250);
            sassert(good > 0); // want failed assertion
            break;
        }
        sassert(good + bad_row <= i + 1);
    }
    return 0;
}
