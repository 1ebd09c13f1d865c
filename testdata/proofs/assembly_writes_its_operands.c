/*
Inline assembly gives results that are not known in memory, too. An empty template changes nothing.
verdict: unknown
obligations: 4
*/
#include <unitproof.h>

int main(void) {
  int x = 1, y = 1, z = 1;
  __asm__ volatile("" : "+m"(x) : : "memory");
  __asm__ volatile("" : "+r"(y));
  sassert(x == 1 && y == 1);
  __asm__ volatile("incl %0" : "+m"(x) : "m"(z));
  sassert(y == 1 && z == 1);
  sassert(x != 7); // want unknown assertion
  __asm__ volatile("movl $2, %0" : "=m"(y));
  sassert(y == 1); // want unknown assertion
  return 0;
}
