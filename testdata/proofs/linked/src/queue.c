#include "queue.h"

bool queue_push(struct queue *q, int item) {
  if (q->count == QUEUE_SIZE) {
    report("full");
    return false;
  }
  q->items[(q->head + q->count++) % QUEUE_SIZE] = item;
  return true;
}

bool queue_pop(struct queue *q, int *item) {
  if (q->count == 0)
    return false;
  *item = q->items[q->head];
  q->head = (q->head + 1) % QUEUE_SIZE;
  q->count--;
  return true;
}
