unsigned clock_ticks(void);
int clock_wait(unsigned ticks, const char *why);
int clock_set(unsigned ticks, int zone);
int clock_adjust(unsigned ticks, int by);
