/*
 * Mutexes, as if there were one thread: threads cannot be created in a proof, and the engine notes the assumption.
 * POSIX allows each of these functions to fail, so an error is a possible result; a violation that needs one is no
 * failure. That a mutex was initialised, that it is not locked twice by one thread, and that a lock is free in the
 * end are not checked.
 */
#define EBUSY 16

static int lock_result(void) {
  if (nd_bool()) return 0;
  int error = unitproof_any_int();
  assume(error > 0);
  return error;
}

/* The least sizes of the objects on any machine: of glibc and musl, and elsewhere. */
#if defined(__linux__) && !defined(__ANDROID__)
enum { MUTEX = 24, RWLOCK = 32, CONDITION = 48, SMALL = 4 };
#else
enum { MUTEX = 4, RWLOCK = 4, CONDITION = 4, SMALL = 4 };
#endif

/* Each function writes to its object. */
static int used(void *object, size_t size) {
  *(volatile char *)object = 0; /* memhavoc accepts NULL */
  memhavoc(object, size);
  return lock_result();
}

int pthread_mutexattr_init(void *attributes) { return used(attributes, SMALL); }
int pthread_mutexattr_settype(void *attributes, int type) { return used(attributes, SMALL); }
int pthread_mutexattr_setpshared(void *attributes, int shared) { return used(attributes, SMALL); }
int pthread_mutexattr_setprotocol(void *attributes, int protocol) { return used(attributes, SMALL); }
int pthread_mutexattr_setrobust(void *attributes, int robust) { return used(attributes, SMALL); }
int pthread_mutexattr_destroy(void *attributes) { return used(attributes, SMALL); }

int pthread_mutex_init(void *mutex, const void *attributes) { return used(mutex, MUTEX); }
int pthread_mutex_lock(void *mutex) { return used(mutex, MUTEX); }
int pthread_mutex_trylock(void *mutex) {
  used(mutex, MUTEX);
  return nd_bool() ? EBUSY : lock_result();
}
int pthread_mutex_unlock(void *mutex) { return used(mutex, MUTEX); }
int pthread_mutex_destroy(void *mutex) { return used(mutex, MUTEX); }

int pthread_rwlock_init(void *lock, const void *attributes) { return used(lock, RWLOCK); }
int pthread_rwlock_rdlock(void *lock) { return used(lock, RWLOCK); }
int pthread_rwlock_wrlock(void *lock) { return used(lock, RWLOCK); }
int pthread_rwlock_unlock(void *lock) { return used(lock, RWLOCK); }
int pthread_rwlock_destroy(void *lock) { return used(lock, RWLOCK); }

int pthread_spin_init(volatile void *lock, int shared) { return used((void *)lock, SMALL); }
int pthread_spin_lock(volatile void *lock) { return used((void *)lock, SMALL); }
int pthread_spin_unlock(volatile void *lock) { return used((void *)lock, SMALL); }
int pthread_spin_destroy(volatile void *lock) { return used((void *)lock, SMALL); }

/* No thread waits. */
int pthread_cond_init(void *condition, const void *attributes) { return used(condition, CONDITION); }
int pthread_cond_signal(void *condition) { return used(condition, CONDITION); }
int pthread_cond_broadcast(void *condition) { return used(condition, CONDITION); }
int pthread_cond_destroy(void *condition) { return used(condition, CONDITION); }
