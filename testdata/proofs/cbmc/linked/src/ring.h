#define RING_SIZE 4

struct ring {
  int items[RING_SIZE];
  unsigned head, count;
};

int ring_put(struct ring *r, int item);

/* A static function of a header is exported as one of the header. */
static inline int ring_empty(const struct ring *r) { return r->count == 0; }
