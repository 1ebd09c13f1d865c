/* time.h: declarations for targets without a C library. */
#pragma once
#include <stddef.h>
typedef long time_t;
typedef long clock_t;
time_t time(time_t *t);
clock_t clock(void);
double difftime(time_t end, time_t start);
