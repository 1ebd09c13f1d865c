/*
The data of an empty input is NULL or a block without bytes, that of others is a block.

verdict: failed
*/
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = malloc(size + 1);
  if (text == NULL) return -1;
  memcpy(text, data, size); // no bytes need no valid pointer
  text[size] = 0;
  assert(strlen(text) <= size);
  free(text);
  if (size > 0) {
    assert(data != NULL);
    if (data[0] == 'n') assert(data[size - 1] == 'n' || size > 1);
    return data[size - 1];
  }
  assert(data == NULL); // want failed assertion
  return 0;
}
