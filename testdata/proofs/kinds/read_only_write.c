/* The sentence and the trace of read-only-write; read_only_write.txt holds them.
verdict: failed
obligations: 1
*/
#include <unitproof.h>
#include <stdlib.h>
#include <string.h>

static const int limits[2] = {3, 4};

static void set(int *v, int to) { *v = to; } // want failed read-only-write

int main(void) {
  int mine = 1;
  bool shared = nd_bool();
  set(shared ? (int *)&limits[1] : &mine, 9);
}
