/*
Mutexes, as if there were one thread. Each function may fail: code that ignores this holds nevertheless, and an assertion
that it never happens is no failure.

verdict: failed
*/
#include <pthread.h>
#include <stddef.h>
#include <unitproof.h>

struct counter {
  pthread_mutex_t lock;
  int n;
};

static pthread_mutex_t shared = PTHREAD_MUTEX_INITIALIZER;
static int total;

static int bump(struct counter *c) {
  if (pthread_mutex_lock(&c->lock) != 0) return -1; // want failed null-dereference
  c->n = c->n < 100 ? c->n + 1 : 0;
  pthread_mutex_unlock(&c->lock);
  return c->n;
}

int main(void) {
  struct counter c = {.n = 0};
  if (pthread_mutex_init(&c.lock, NULL) != 0) return 1;
  sassert(bump(&c) <= 1);
  sassert(bump(&c) > 0); // want unknown assertion
  pthread_mutex_destroy(&c.lock);

  pthread_mutex_lock(&shared);
  total++;
  pthread_mutex_unlock(&shared);
  sassert(total == 1);
  if (pthread_mutex_trylock(&shared) == 0) total++;
  sassert(total == 1); // want failed assertion

  if (nd_bool()) bump(NULL);
  return 0;
}
