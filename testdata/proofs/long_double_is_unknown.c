/*
 * verdict: unknown
 *
 * Values of 80 bits are passed on, but not computed with: behind what compares or converts them all is unknown.
 */
#include <unitproof.h>

static int sign(long double v)
{
	return v < 0.0L;
}

static int truncated(long double v)
{
	return (int)v;
}

int main(void)
{
	double d = nd_double();
	sassert(d * 0.5 != 1.0 || d == 2.0);
	if (nd_bool())
		sassert(sign(1.0L) == 0); // want unknown assertion
	else
		sassert(truncated(1.5L) == 1); // want unknown assertion
	return 0;
}
