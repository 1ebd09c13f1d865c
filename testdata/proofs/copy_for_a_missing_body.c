/*
A function without body that gets a struct by value cannot write the caller's.
verdict: proved
obligations: 1
*/
#include <unitproof.h>

struct wide {
  long part[5];
};
void look(struct wide w);

int main(void) {
  struct wide w = {{1}};
  look(w);
  sassert(w.part[0] == 1);
  return 0;
}
