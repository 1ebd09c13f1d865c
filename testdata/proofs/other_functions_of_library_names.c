/*
Functions of the program that have the names of library functions, but other types: they have no body, so nothing is known
of them. What has the library's type is the library's, whatever the file calls a pointer.

verdict: unknown
*/
#include <stddef.h>
#include <unitproof.h>

struct door {
  int open;
};

int close(struct door *door);
int abs(int a, int b);
void time(struct door *door, int add);
size_t strnlen(const void *text, unsigned max);
int isdigit(const char *text);

int main(void) {
  struct door d = {1};
  switch (nd_int()) {
  case 0: sassert(close(&d) <= 0); break; // want unknown assertion
  case 1: sassert(abs(-1, 2) >= 0); break; // want unknown assertion
  case 2:
    time(&d, 5);
    sassert(d.open == 1); // want unknown assertion
    break;
  case 3: sassert(isdigit("7") != 1000000); break; // want unknown assertion
  default: sassert(strnlen("ab", 9) == 2);
  }
  return 0;
}
