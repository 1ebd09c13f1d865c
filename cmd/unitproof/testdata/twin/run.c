/* Runs the main of a program with many random inputs, and prints the lines of the assertions that failed. */
#include <stdio.h>
#include "unitproof.h"

jmp_buf twin_end;
uint64_t twin_seed = 88172645463325252;
unsigned char twin_failed[1000];

int program(void);

int main(void) {
  for (int i = 0; i < 4000; i++)
    if (setjmp(twin_end) == 0) program();
  for (int i = 0; i < 1000; i++)
    if (twin_failed[i]) printf("%d\n", i);
  return 0;
}
