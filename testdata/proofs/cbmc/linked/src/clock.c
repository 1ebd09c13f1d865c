#include "clock.h"

unsigned clock_ticks(void) { return 1; }
int clock_wait(unsigned ticks, const char *why) { return why[ticks]; }
int clock_set(unsigned ticks, int zone) { return zone; }
int clock_adjust(unsigned ticks, int by) { return by; }

unsigned log_entry(unsigned code) { return code; } /* ring.c has another one */
