/*
 * verdict: unknown
 *
 * Functions and conversions of 80 bits: each is unknown by its name or by its type, none is an internal error.
 */
#include <math.h>
#include <float.h>
#include <unitproof.h>

static long double of(int which, long double v)
{
	int e;
	long double whole;
	switch (which) {
	case 0: return floorl(v);
	case 1: return ceill(v);
	case 2: return truncl(v);
	case 3: return roundl(v);
	case 4: return rintl(v);
	case 5: return nearbyintl(v);
	case 6: return fabsl(v);
	case 7: return sqrtl(v);
	case 8: return fminl(v, 1.0L);
	case 9: return fmaxl(v, 1.0L);
	case 10: return copysignl(v, -1.0L);
	case 11: return fmodl(v, 3.0L);
	case 12: return fmal(v, v, v);
	case 13: return powl(v, 2);
	case 14: return frexpl(v, &e);
	case 15: return ldexpl(v, 2);
	case 16: return modfl(v, &whole);
	case 17: return remainderl(v, 2);
	case 18: return hypotl(v, v);
	case 19: return -v;
	case 20: return v + 1;
	case 21: return nd_double();
	case 22: return nd_float();
	case 23: return nd_int();
	case 24: return nd_uint64_t();
	case 25: return nd_bool();
	case 26: return (long double)(__int128)nd_int64_t();
	default: return v;
	}
}

static int from(int which, long double v)
{
	switch (which) {
	case 0: return (int)v;
	case 1: return (unsigned long)v != 1;
	case 2: return (_Bool)v;
	case 3: return (double)v != 1;
	case 4: return (float)v != 1;
	case 5: return isnan(v) != 0;
	case 6: return isinf(v) != 0;
	case 7: return signbit(v) != 0;
	case 8: return fpclassify(v);
	case 9: return lroundl(v) == 1;
	case 10: return llrintl(v) == 1;
	case 11: return (int)(__int128)v;
	case 12: return v == 1 ? FLT_ROUNDS : 2;
	default: return FLT_ROUNDS;
	}
}

int main(void)
{
	int which = nd_int();
	switch (nd_int()) {
	case 0: {
		long double v = of(which, 1.5L);
		sassert(which == 40 || v != 7777); // want unknown assertion
		break;
	}
	case 1: sassert(from(which, 1.0L) >= 0); break; // want unknown assertion
	default: sassert(from(99, 1.5L) == 1);
	}
	return 0;
}
