/* Something for each sanitizer to find. */
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
  if (argc > 1 && !strcmp(argv[1], "overflow")) {
    char *p = malloc(10);
    p[argc + 8] = 1;
    free(p);
  } else if (argc > 1 && !strcmp(argv[1], "leak")) {
    char *volatile p = malloc(10);
    p = NULL;
    return p != NULL;
  } else if (argc > 1 && !strcmp(argv[1], "signed")) {
    volatile int i = 0x7fffffff;
    i += argc;
  }
  return 0;
}
