#include <stdlib.h>
#include <unitproof.h>

#include "frame.h"

void frame_parse_harness(void)
{
	size_t size = nd_size_t();
	uint8_t *bytes = malloc(size);
	struct frame frame = {0};

	assume(bytes != NULL);
	memhavoc(bytes, size);
	int used = frame_parse(&frame, bytes, size);

	if (used > 0) {
		sassert((size_t)used <= size);
		sassert(sea_is_dereferenceable(frame.payload, frame.length));
	}
}
