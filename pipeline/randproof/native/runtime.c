/*
 * Runs a generated proof natively with every combination of its inputs, each in a forked child.
 * Inputs are choices among few values: the parent keeps the list of choices of the last run and
 * counts it on like an odometer, so that inputs may come anywhere, in branches and loops too.
 *
 * argv: first|second LIMIT. In the first pass the checks record the values that they see; stdin of the
 * second pass tells for each check "kind a b" (1: within [a, b], 2: not a, 0: none), and the checks
 * are assertions. What the sanitizers say goes to stderr, a line "@run STATUS" after each run.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { REJECTED = 77, ASSERTION = 99, TOO_MANY = 78, MAX = 64, CHECKS = 128, LINES = 4096, VALUES = 8 };

static struct {
  int n;
  unsigned digit[MAX], radix[MAX];
  struct {
    int reached, values, kind;
    int64_t value[VALUES], min, max, a, b;
  } check[CHECKS];
  unsigned char hit[LINES];
} *shared;
static int position, second, may_fail;

unsigned native_choice(unsigned radix) {
  if (position == MAX)
    _exit(TOO_MANY);
  if (position == shared->n) {
    shared->digit[position] = 0;
    shared->radix[position] = radix;
    shared->n++;
  }
  return shared->digit[position++];
}

void native_end(void) { _exit(0); }

void native_assume(_Bool c) {
  if (!c)
    _exit(REJECTED);
}

void native_check(int k, int64_t v, int line) {
  shared->hit[line] = 1;
  if (!second) {
    if (!shared->check[k].reached || v < shared->check[k].min)
      shared->check[k].min = v;
    if (!shared->check[k].reached || v > shared->check[k].max)
      shared->check[k].max = v;
    shared->check[k].reached = 1;
    int n = shared->check[k].values;
    for (int i = 0; i < n; i++)
      if (shared->check[k].value[i] == v)
        return;
    if (n < VALUES)
      shared->check[k].value[shared->check[k].values++] = v;
    return;
  }
  int64_t a = shared->check[k].a, b = shared->check[k].b;
  bool ok = shared->check[k].kind == 1 ? a <= v && v <= b : shared->check[k].kind == 2 ? v != a : true;
  if (!ok) {
    fprintf(stderr, "@assertion %d\n", line);
    _exit(ASSERTION);
  }
}

int __sanitizer_get_ownership(const volatile void *p);

#if defined __powerpc__ && !defined __powerpc64__
/* The sanitizers of gcc want it, and no library has it. */
unsigned long long swap8(volatile void *p, unsigned long long old, unsigned long long new)
    __asm__("__sync_val_compare_and_swap_8");
unsigned long long swap8(volatile void *p, unsigned long long old, unsigned long long new) {
  unsigned long long v = *(volatile unsigned long long *)p;
  if (v == old) *(volatile unsigned long long *)p = new;
  return v;
}
#endif

static bool fails(size_t n) { return n > UINT64_C(1) << 32 || n > PTRDIFF_MAX || (may_fail && native_choice(2)); }

void __asan_poison_memory_region(void const volatile *p, size_t n);

/* AddressSanitizer lets one byte of a block of size 0 be used. */
static void *empty(void *p) {
  if (p)
    __asan_poison_memory_region(p, 1);
  return p;
}

void *native_malloc(size_t n) { return fails(n) ? NULL : n ? malloc(n) : empty(malloc(1)); }
void *native_calloc(size_t n, size_t m) {
  size_t bytes;
  return __builtin_mul_overflow(n, m, &bytes) || fails(bytes) ? NULL : bytes ? calloc(n, m) : empty(malloc(1));
}
void *native_realloc(void *p, size_t n) {
  if (n == 0 && p) {
    free(p);
    return NULL;
  }
  if (fails(n)) {
    if (p && !__sanitizer_get_ownership(p))
      free(p); /* the block is looked at before the allocation fails: this reports it */
    return NULL;
  }
  return realloc(p, n);
}

void *__asan_region_is_poisoned(void *beg, size_t size);

_Bool native_dereferenceable(const void *p, int64_t n) {
  if (n < 0)
    return 0;
  if (n == 0)
    return 1;
  if ((uintptr_t)p < 4096 || (uintptr_t)p >> 47)
    return 0;
  return __asan_region_is_poisoned((void *)(uintptr_t)p, (size_t)n) == NULL;
}

int proof_main(void);

int main(int argc, char **argv) {
  if (argc < 3)
    return 2;
  second = strcmp(argv[1], "second") == 0;
  long limit = atol(argv[2]), runs = 0;
  may_fail = argc > 3;
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED)
    return 2;
  if (second)
    for (int k = 0; k < CHECKS &&
         scanf("%d %" SCNd64 " %" SCNd64, &shared->check[k].kind, &shared->check[k].a, &shared->check[k].b) == 3; k++)
      ;
  for (;;) {
    if (runs++ == limit) {
      puts("partial");
      break;
    }
    pid_t child = fork();
    if (child < 0)
      return 2;
    if (child == 0) {
      alarm(5);
      proof_main();
      _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) {
      puts("slow");
      return 0;
    }
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (code == TOO_MANY) {
      puts("partial");
      return 0;
    }
    if (code != 0 && code != REJECTED) {
      fprintf(stderr, "@run %d", code);
      for (int i = 0; i < shared->n; i++)
        fprintf(stderr, " %u", shared->digit[i]);
      fputs("\n", stderr);
    }
    while (shared->n > 0 && ++shared->digit[shared->n - 1] == shared->radix[shared->n - 1])
      shared->n--;
    if (shared->n == 0)
      break;
  }
  printf("runs %ld\n", runs);
  for (int l = 0; l < LINES; l++)
    if (shared->hit[l])
      printf("hit %d\n", l);
  for (int k = 0; k < CHECKS; k++)
    if (shared->check[k].reached) {
      printf("check %d %" PRId64 " %" PRId64, k, shared->check[k].min, shared->check[k].max);
      for (int i = 0; i < shared->check[k].values; i++)
        printf(" %" PRId64, shared->check[k].value[i]);
      puts("");
    }
  return 0;
}
