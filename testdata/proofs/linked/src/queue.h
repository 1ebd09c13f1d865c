#include <stdbool.h>

#ifndef QUEUE_SIZE
#define QUEUE_SIZE 4
#endif

struct queue {
  int items[QUEUE_SIZE];
  unsigned head, count;
};

bool queue_push(struct queue *q, int item);
bool queue_pop(struct queue *q, int *item);
void report(const char *event);
