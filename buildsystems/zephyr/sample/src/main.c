#include <zephyr/kernel.h>

#include "frame.h"

int main(void)
{
	static const uint8_t bytes[] = {FRAME_START, 2, 1, 2, 3};
	struct frame frame;
	int used = frame_parse(&frame, bytes, sizeof(bytes));

	printk("frame of %d bytes\n", used);
	return 0;
}
