/*
 * Mutexes, as if there were one thread: threads cannot be created in a proof. POSIX allows each of these functions to
 * fail, so an error is a possible result; a violation that needs one is no failure. That a mutex was initialised, that
 * it is not locked twice by one thread, and that a lock is free in the end are not checked.
 */
#define EBUSY 16

static int lock_result(void) {
  if (nd_bool()) return 0;
  int error = unitproof_any_int();
  assume(error != 0);
  return error;
}

/* The object is used: its first byte stands for its content, whose size depends on the platform. */
static int used(const void *object) {
  (void)*(const volatile char *)object;
  return lock_result();
}

static int made(void *object) {
  memhavoc(object, 1);
  return lock_result();
}

int pthread_mutexattr_init(void *attributes) { return made(attributes); }
int pthread_mutexattr_settype(void *attributes, int type) { return used(attributes); }
int pthread_mutexattr_setpshared(void *attributes, int shared) { return used(attributes); }
int pthread_mutexattr_setprotocol(void *attributes, int protocol) { return used(attributes); }
int pthread_mutexattr_setrobust(void *attributes, int robust) { return used(attributes); }
int pthread_mutexattr_destroy(void *attributes) { return used(attributes); }

int pthread_mutex_init(void *mutex, const void *attributes) { return made(mutex); }
int pthread_mutex_lock(void *mutex) { return used(mutex); }
int pthread_mutex_trylock(void *mutex) {
  used(mutex);
  return nd_bool() ? EBUSY : lock_result();
}
int pthread_mutex_unlock(void *mutex) { return used(mutex); }
int pthread_mutex_destroy(void *mutex) { return used(mutex); }

int pthread_rwlock_init(void *lock, const void *attributes) { return made(lock); }
int pthread_rwlock_rdlock(void *lock) { return used(lock); }
int pthread_rwlock_wrlock(void *lock) { return used(lock); }
int pthread_rwlock_unlock(void *lock) { return used(lock); }
int pthread_rwlock_destroy(void *lock) { return used(lock); }

int pthread_spin_init(volatile void *lock, int shared) { return made((void *)lock); }
int pthread_spin_lock(volatile void *lock) { return used((const void *)lock); }
int pthread_spin_unlock(volatile void *lock) { return used((const void *)lock); }
int pthread_spin_destroy(volatile void *lock) { return used((const void *)lock); }

/* No thread waits. */
int pthread_cond_init(void *condition, const void *attributes) { return made(condition); }
int pthread_cond_signal(void *condition) { return used(condition); }
int pthread_cond_broadcast(void *condition) { return used(condition); }
int pthread_cond_destroy(void *condition) { return used(condition); }
