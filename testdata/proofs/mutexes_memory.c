/*
A lock writes to its whole object: a constant one, or one that a small block cannot hold, is a violation. That no other
thread changes memory is an assumption of each proof with a lock.
verdict: failed
*/
#include <pthread.h>
#include <stdlib.h>
#include <unitproof.h>

static const pthread_mutex_t constant = PTHREAD_MUTEX_INITIALIZER;

void mutexes_memory_proof(void) {
  if (nd_bool()) {
    pthread_mutex_lock((pthread_mutex_t *)&constant); // want failed read-only-write
  } else {
    char *small = malloc(8);
    if (small) pthread_mutex_init((pthread_mutex_t *)small, NULL); // want failed out-of-bounds-write
    free(small);
  }
}
