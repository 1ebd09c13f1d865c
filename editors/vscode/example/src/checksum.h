#ifndef CHECKSUM_H
#define CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* The sum of n bytes, modulo 255. */
uint8_t checksum(const uint8_t *bytes, size_t n);

#endif
