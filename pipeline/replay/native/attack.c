/*
 * Native runtime for running a unit proof with random inputs: each run is a forked child
 * with its own seed, so that globals and the heap start afresh. An assumption that does
 * not hold ends the child quietly; whatever a sanitizer or an assertion reports ends the
 * whole program with status 1 and the seed, which reproduces the run (argv: seconds [seed]).
 */
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { REJECTED = 77, ENDED = 0, VIOLATED = 99 };

static uint64_t state;

static uint64_t next(void) { /* splitmix64 */
  uint64_t z = (state += UINT64_C(0x9E3779B97F4A7C15));
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}

/* Boundary values are where proofs break, small ones are what assumptions let through. */
uint64_t unitproof_random(unsigned bits) {
  uint64_t mask = bits >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1;
  uint64_t v;
  switch (next() % 10) {
  case 0: v = 0; break;
  case 1: v = 1; break;
  case 2: v = mask; break;
  case 3: v = mask >> 1; break;
  case 4: v = (mask >> 1) + 1; break;
  case 5: v = next() % 4; break;
  case 6: v = next() % 20; break;
  case 7: v = next() % 300; break;
  case 8: v = UINT64_C(1) << (next() % (bits ? bits : 1)); v += next() % 3 - 1; break;
  default: v = next(); break;
  }
  return v & mask;
}

float unitproof_random_float(void) {
  uint32_t bits = (uint32_t)unitproof_random(32);
  float f;
  if (next() % 2)
    return (float)(int32_t)bits;
  memcpy(&f, &bits, sizeof f);
  return f;
}

double unitproof_random_double(void) {
  uint64_t bits = unitproof_random(64);
  double d;
  if (next() % 2)
    return (double)(int32_t)bits;
  memcpy(&d, &bits, sizeof d);
  return d;
}

/* An address in no object: above every mapping of a process. */
void *unitproof_random_pointer(void) {
  return next() % 2 ? NULL : (void *)(uintptr_t)(UINT64_C(0xF000000000000000) + (next() & 0xFFFF0));
}

static void fill(void *p, size_t n) {
  unsigned char *b = p;
  if (p == NULL) /* as the engine: havoc of a failed allocation does nothing */
    return;
  unsigned mode = next() % 3;
  for (size_t i = 0; i < n; i++)
    b[i] = mode == 0 ? 0 : mode == 1 ? (unsigned char)unitproof_random(8) : (unsigned char)next();
}

void unitproof_assume(uint64_t c) {
  if (!c)
    _exit(REJECTED);
}

void unitproof_assert(uint64_t c) {
  if (!c) {
    fprintf(stderr, "assertion violated\n");
    _exit(VIOLATED);
  }
}

void unitproof_end(void) { _exit(ENDED); }

void memhavoc(void *p, size_t n) { fill(p, n); }
void klee_make_symbolic(void *p, size_t n, const char *name) { (void)name; fill(p, n); }

int __asan_address_is_poisoned(void const volatile *addr);
void *__asan_region_is_poisoned(void *beg, size_t size);

bool sea_is_dereferenceable(const void *p, intptr_t n) {
  if (n < 0)
    return false;
  if (n == 0)
    return true;
  if ((uintptr_t)p < 4096 || (uintptr_t)p >> 47)
    return false;
  if ((uint64_t)n > UINT64_C(1) << 40)
    return false;
  return __asan_region_is_poisoned((void *)(uintptr_t)p, (size_t)n) == NULL;
}

static int may_fail;
void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t m);
void *__real_realloc(void *p, size_t n);
static bool fails(size_t n) { return n > UINT64_C(1) << 32 || (may_fail && next() % 4 == 0); }

void *__wrap_malloc(size_t n) {
  if (fails(n))
    return NULL;
  void *p = __real_malloc(n);
  if (p && n < 1 << 20)
    fill(p, n);
  return p;
}
void *__wrap_calloc(size_t n, size_t m) {
  size_t bytes;
  if (__builtin_mul_overflow(n, m, &bytes) || fails(bytes))
    return NULL;
  return __real_calloc(n, m);
}
void *__wrap_realloc(void *p, size_t n) {
  if (n == 0) {
    free(p);
    return NULL;
  }
  return fails(n) ? NULL : __real_realloc(p, n);
}

void unitproof_entry_call(void);

static void run(uint64_t seed) {
  state = seed * UINT64_C(0xD1342543DE82EF95) + 1;
  alarm(10);
  unitproof_entry_call();
  _exit(ENDED);
}

int main(int argc, char **argv) {
  double seconds = argc > 1 ? atof(argv[1]) : 1;
  may_fail = getenv("UNITPROOF_MALLOC_MAY_FAIL") != NULL;
  if (argc > 2) {
    run(strtoull(argv[2], NULL, 10));
  }
  struct timespec start, now;
  clock_gettime(CLOCK_MONOTONIC, &start);
  unsigned long runs = 0, rejected = 0, slow = 0;
  for (uint64_t seed = 1;; seed++) {
    clock_gettime(CLOCK_MONOTONIC, &now);
    if ((now.tv_sec - start.tv_sec) + (now.tv_nsec - start.tv_nsec) / 1e9 > seconds)
      break;
    pid_t child = fork();
    if (child < 0) {
      perror("fork");
      return 2;
    }
    if (child == 0)
      run(seed);
    int status;
    waitpid(child, &status, 0);
    runs++;
    if (WIFEXITED(status) && WEXITSTATUS(status) == ENDED)
      continue;
    if (WIFEXITED(status) && WEXITSTATUS(status) == REJECTED) {
      rejected++;
      continue;
    }
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) {
      slow++;
      continue;
    }
    printf("violated seed %llu status %d\n", (unsigned long long)seed, status);
    return 1;
  }
  printf("runs %lu rejected %lu slow %lu\n", runs, rejected, slow);
  return 0;
}
