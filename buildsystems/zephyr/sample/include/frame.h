/* Frames of a serial line: 0x7e, length, payload, checksum. */
#ifndef FRAME_H
#define FRAME_H

#include <stddef.h>
#include <stdint.h>

#define FRAME_START 0x7e

struct frame {
	const uint8_t *payload;
	uint8_t length;
};

/* frame_parse finds the frame at the start of size bytes. It returns the number of bytes of the frame, 0 if more bytes
 * are needed, and a negative value if there is no frame. */
int frame_parse(struct frame *frame, const uint8_t *bytes, size_t size);

#endif
