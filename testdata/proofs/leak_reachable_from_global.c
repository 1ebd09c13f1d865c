/*
At the end of the proof one node hangs below a global, through another node, and is no leak; a
second one was dropped without being freed, and is one. The leak stands at the allocation.
verdict: failed
flags: --check memory-leak --malloc-may-fail=false
obligations: 2
*/
#include <stdlib.h>
#include <unitproof.h>

struct node {
  struct node *next;
  int value;
};

static struct node *registry;

static struct node *make(int value) {
  struct node *n = malloc(sizeof *n); // want failed memory-leak
  n->next = NULL;
  n->value = value;
  return n;
}

static void add(struct node *n) {
  n->next = registry;
  registry = n;
}

int main(void) {
  add(make(1));
  add(make(2));
  struct node *dropped = make(3);
  sassert(dropped->value == 3);
  sassert(registry->next->value == 1);
  return 0;
}
