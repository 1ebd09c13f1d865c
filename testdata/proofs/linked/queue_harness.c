/*
The code under proof is found in compile_commands.json, with its flags: queue.c defines what the
proof calls, and report.c what queue.c calls.
verdict: proved
obligations: 4
*/
#include "src/queue.h"
#include <unitproof.h>

extern unsigned reports;

int main(void) {
  struct queue q;
  memhavoc(&q, sizeof q);
  assume(q.head < QUEUE_SIZE && q.count <= QUEUE_SIZE);
  unsigned count = q.count;
  int item = nd_int(), out = 0;

  bool pushed = queue_push(&q, item);
  sassert(pushed == (count < QUEUE_SIZE));
  sassert(reports == (pushed ? 0 : 1));
  if (pushed && count == 0) {
    sassert(queue_pop(&q, &out));
    sassert(out == item && q.count == 0);
  }
  return 0;
}
