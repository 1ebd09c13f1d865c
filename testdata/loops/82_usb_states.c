/*
The device states of a bus follow the events, and address and configuration are set exactly where the state says so.
verdict: proved
*/
#include <unitproof.h>

enum dev { DETACHED, POWERED, DEFAULT_STATE, ADDRESS, CONFIGURED };
enum ev { EV_PLUG, EV_UNPLUG, EV_RESET, EV_SET_ADDRESS, EV_SET_CONFIG, EV_SUSPEND };

int main(void)
{
    enum dev st = DETACHED;
    uint8_t addr = 0;
    uint8_t config = 0;
    bool suspended = false;

    for (;;) {
        unsigned ev = nd_uint() % 7;
        uint8_t arg = nd_uint8_t();

        if (ev == EV_UNPLUG) {
            st = DETACHED;
            addr = config = 0;
            suspended = false;
        } else if (ev == EV_PLUG && st == DETACHED) {
            st = POWERED;
        } else if (ev == EV_RESET && st != DETACHED) {
            st = DEFAULT_STATE;
            addr = config = 0;
            suspended = false;
        } else if (ev == EV_SUSPEND && st >= DEFAULT_STATE) {
            suspended = !suspended;
        } else if (!suspended && ev == EV_SET_ADDRESS && (st == DEFAULT_STATE || st == ADDRESS)) {
            addr = arg & 0x7f;
            st = addr != 0 ? ADDRESS : DEFAULT_STATE;
        } else if (!suspended && ev == EV_SET_CONFIG && st >= ADDRESS) {
            config = arg;
            st = config != 0 ? CONFIGURED : ADDRESS;
        }
        sassert((st >= ADDRESS) == (addr != 0));
        sassert((st == CONFIGURED) == (config != 0));
        sassert(!suspended || st >= DEFAULT_STATE);
        sassert(addr < 128);
    }
}
