/*
 * a + i + j and a + i - j in arrays inside of objects: the sum is what has to stay in the array.
 *
 * verdict: failed
 */
#include <unitproof.h>

struct holder {
	int before[3];
	int slot[4];
	int after[5];
	int rows[2][2];
};
static struct holder g;

int main(void)
{
	struct holder h = {0}, *p = &h;
	unsigned i = nd_unsigned(), j = nd_unsigned();
	assume(i < 4 && j < 4);
	switch (nd_int()) {
	case 0: *(h.slot + i + j) = 1; break;     // want failed array-bounds
	case 1: *(p->slot + i + j) = 1; break;    // want failed array-bounds
	case 2: *(h.slot + i - j) = 1; break;     // want failed array-bounds
	case 3: *(g.slot + i + j) = 1; break;     // want failed array-bounds
	case 4: if (i + j <= 4) *(i + j + h.slot) = 1; break;     // want failed array-bounds
	case 5: *(&h.slot[i] + j) = 1; break;     // an address that was taken is one in the object
	case 6: (h.slot + i)[j]++; break;         // want failed array-bounds
	case 7: if (i + j <= 4) *(h.slot + (i + j)) = 1; break;   // want failed array-bounds
	case 8: *(j + (h.slot + i) - 1) = 1; break;     // want failed array-bounds
	case 9: if (i + j < 4) *(h.slot + i + j) = 1; break;
	case 10: if (i >= j) *(p->slot + i - j) = 1; break;
	case 11: *(h.slot + i + (3 - i)) = 1; break;
	case 12: *(g.slot + 5 + i - 4 - j) = 1; break; // want failed array-bounds
	case 13: *(h.slot + 4 - 1) = 1; break;
	case 14: *(g.slot + i) = 1; break;
	case 15: { int *q = h.slot + i; if (i + j < 4) *(q + j) = 1; break; }
	case 16: *((char *)(h.slot + i) + 8 * j) = 1; break; // characters may go anywhere in the object
	case 17: *((char *)h.slot + 16 + j) = 1; break;
	case 18: *((int *)h.rows + i) = 1; break; // and what is cast may
	case 19: *(g.slot + j + 2) = 1; break; // want failed array-bounds
	case 20: *(*(h.rows + i / 2) + j % 3) = 1; break;     // want failed array-bounds
	case 21: *(&h.slot[3] - i) = 1; break;
	}
	return 0;
}
