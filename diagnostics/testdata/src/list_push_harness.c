#include <unitproof.h>
#include "list.h"

#define HEADER 4

int main(void)
{
	int n = nd_int();
	int total = nd_int(), options = nd_int(), payload = nd_int();
	assume(n >= 0 && n <= 11);
	for (int i = 0; i < n; i++)
		list_push(i);
	sassert(list_size() <= 10); // the capacity
	if (total < HEADER || options > 10)
		return 0;
	assume(total == 2);
	sassert(payload == 0);
	sassert(list_sum(n) >=
	        n - 1);
	switch (options) {
	case 1: break;
	default: sassert(0);
	}
	return 0;
}
