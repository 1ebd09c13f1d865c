#include "frame.h"

#define OVERHEAD 3 /* start, length, checksum */

int frame_parse(struct frame *frame, const uint8_t *bytes, size_t size)
{
	uint8_t sum = 0;

	if (size > 0 && bytes[0] != FRAME_START) {
		return -1;
	}
	if (size < 2 || size < (size_t)bytes[1] + OVERHEAD) {
		return 0;
	}
	for (size_t i = 0; i < bytes[1]; i++) {
		sum += bytes[2 + i];
	}
	if (sum != bytes[2 + bytes[1]]) {
		return -1;
	}
	frame->payload = bytes + 2;
	frame->length = bytes[1];
	return bytes[1] + OVERHEAD;
}
