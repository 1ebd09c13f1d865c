/*
 * An address computed back from a difference of addresses, over static buffers: it is the one that the difference was
 * taken of, and what it leaves is left by it.
 *
 * verdict: failed
 */
#include <stdint.h>
#include <unitproof.h>

struct node {
	int key;
	struct node *next;
};

static char buffer[64];
static int words[16];
static struct node nodes[4];

static void characters(void)
{
	size_t i = nd_size_t();
	assume(i < sizeof buffer);
	char *p = &buffer[i];
	char *back = buffer + ((uintptr_t)p - (uintptr_t)buffer);
	sassert(back == p);
	*back = 7;
	sassert(buffer[i] == 7);
	char *behind = (char *)((uintptr_t)buffer + ((uintptr_t)p - (uintptr_t)buffer) + 1);
	*behind = 1; // want failed out-of-bounds-write
}

static void elements(void)
{
	size_t i = nd_size_t();
	assume(i < 16);
	int *p = &words[i];
	int *back = (int *)((char *)words + ((char *)p - (char *)words));
	*back = 5;
	sassert(words[i] == 5);
	sassert(words[i] == 5 && i != 3); // want failed assertion
}

/* As lists do that keep links as offsets. */
static void structures(void)
{
	size_t i = nd_size_t();
	assume(i < 4);
	struct node *p = &nodes[i];
	int offset = (int)((char *)p - (char *)nodes);
	p->next = nodes;
	struct node *back = (struct node *)((char *)nodes + offset);
	back->key = 3;
	sassert(p->key == 3 && back->next == nodes);
	back = (struct node *)((char *)back->next + offset);
	back->key += (int)i;
	sassert(nodes[i].key == 3 + (int)i);
	sassert(nodes[i].key != 5); // want failed assertion
}

/* The difference is from one object to another, which C does not define and compilers fold to an address of either. */
static void between(void)
{
	uintptr_t d = (uintptr_t)words - (uintptr_t)buffer;
	char *p = (char *)((uintptr_t)buffer + d);
	*p = 1;
	sassert(*(char *)words == 1);
}

int main(void)
{
	switch (nd_int()) {
	case 0: characters(); break;
	case 1: elements(); break;
	case 2: structures(); break;
	default: between();
	}
	return 0;
}
