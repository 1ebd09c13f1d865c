/*
When main returns or exit is called, the functions that atexit was given run, from the last one on, and destructors behind them;
abort and _exit run none.

verdict: failed
*/
#include <stdlib.h>
#include <unistd.h>
#include <unitproof.h>

static int order, freed;
static char *block;

static void first(void) {
  sassert(order == 2);
  order = 3;
}

static void second(void) {
  sassert(order == 1); // want failed assertion
  order = 2;
  free(block);
  freed = 1;
}

static void never(void) {
  sassert(order != 7); // want vacuous assertion
}

__attribute__((destructor)) static void behind(void) {
  sassert(order == 3);
  sassert(freed == 1);
  block[0] = 3; // want failed use-after-free
}

static void leave(int status) { exit(status); }

int main(void) {
  block = malloc(3);
  assume(block != NULL);
  switch (nd_int()) {
  case 0: atexit(first); atexit(second); order = 1; return 0;
  case 1: atexit(first); atexit(second); order = 1; leave(3); return 1;
  case 2: atexit(first); atexit(second); order = 5; exit(0);
  case 3: atexit(never); order = 7; abort();
  case 4: atexit(never); order = 7; _exit(3);
  }
  order = 3, freed = 1;
  return 0;
}
