/*
A queue keeps its last member in a variable. The tail is NULL if and only if the queue is empty, and no member follows it.
verdict: proved
obligations: 12
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
        tail->next = j;
      else
        head = j;
      tail = j;
    } else if (head) {
      struct job *j = head;
      head = j->next;
      if (!head)
        tail = NULL;
      sassert(j->left <= 255);
      free(j);
    }
    sassert((head == NULL) == (tail == NULL));
    sassert(!tail || !tail->next);
  }
}
