/*
 * verdict: failed
 *
 * A variable without a definition, whose declaration tells no size: whether an access stays in it depends on the definition.
 */
#include <unitproof.h>

extern const char names[];
struct secret;
extern struct secret hidden;
extern int one; // its size is known

int main(void)
{
	unsigned i = nd_unsigned();
	switch (nd_int()) {
	case 0: (void)names[3]; break; // want unknown out-of-bounds-read
	case 1: (void)*((const char *)&hidden + i); break; // want unknown out-of-bounds-read
	case 2: (void)names[-1]; break; // want failed out-of-bounds-read
	case 3: sassert(one == one); break;
	case 4: (void)(&one)[i % 2]; break; // want failed out-of-bounds-read
	case 5: sassert((const char *)&hidden != names); break;
	}
	return 0;
}
