/*
After three thousand million jobs, a queue appends behind its tail without moving it. No execution here comes so far:
nothing is shown, and nothing may be proved.
verdict: failed
obligations: 1
*/
#include <stdlib.h>
#include <unitproof.h>

struct job {
  struct job *next;
  int left;
};

int main(void) {
  struct job *head = NULL, *tail = NULL;
  unsigned jobs = 0;
  while (nd_bool()) {
    struct job *j = malloc(sizeof *j);
    if (!j)
      break;
    j->left = 0;
    j->next = NULL;
    if (jobs < 4000000000u)
      jobs++;
    sassert(!tail || !tail->next); // want failed assertion
    if (tail)
      tail->next = j;
    else
      head = j;
    if (!tail || jobs < 3000000000u)
      tail = j;
  }
  while (head) {
    struct job *j = head;
    head = j->next;
    free(j);
  }
}
