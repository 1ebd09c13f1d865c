/*
LLVMFuzzerInitialize runs once before the target, with the name of the program as its only argument.

verdict: failed
*/
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

static char *table;
static int calls;

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  assert(*argc == 1 && (*argv)[0] != NULL && (*argv)[1] == NULL);
  calls++;
  table = calloc(16, 1);
  return 7;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  assert(calls == 1);
  if (size != 1) return 0;
  if (table == NULL) return 0;
  return table[data[0]]; // want failed out-of-bounds-read
}
