/*
The queue forgets its tail when the last member is taken, so the next one is put behind a freed member.
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
  for (;;) {
    if (nd_bool()) {
      struct job *j = malloc(sizeof *j);
      if (!j)
        continue;
      j->left = nd_uint8_t();
      j->next = NULL;
      if (tail)
        tail->next = j; // want failed use-after-free
      else
        head = j;
      tail = j;
    } else if (head) {
      struct job *j = head;
      head = j->next;
      free(j);
    }
  }
}
