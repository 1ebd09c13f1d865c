/* sys/types.h: declarations for targets without a C library. */
#pragma once
#include <stddef.h>
typedef ptrdiff_t ssize_t;
typedef long off_t;
typedef int pid_t;
