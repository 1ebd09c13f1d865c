#include "list.h"

#define CAPACITY 10

static int storage[CAPACITY];
static int used;

void list_push(int value)
{
	int *slot = &storage[used];
	log_msg("push");
	*slot = value;	/* größer als nötig */
	used = used + 1;
}

int list_sum(int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++)
		sum += storage[i];
	return sum;
}

unsigned hash_mix(int h)
{
	return h * 31 + 7;
}
