/*
 * Runs a generated proof natively with every combination of its inputs. A forked child executes one after the
 * other, and resets the program's variables in between, because a fork under an emulator with AddressSanitizer
 * takes a second. If a sanitizer ends it, the parent continues behind that input with another child.
 * Inputs are choices among few values: shared memory has the list of choices of the last run, which is
 * counted on like an odometer, so that inputs may come anywhere, in branches and loops too.
 *
 * argv: LIMIT [may-fail]. In the first pass the checks record the values that they see. After its results, stdin
 * has for each check "kind a b" (1: within [a, b], 2: not a), and the checks of the second pass are these
 * assertions. Both passes are one process, because an emulator takes two seconds to start with AddressSanitizer.
 * stderr has the reports of sanitizers, a line "@run STATUS" after each run that they or an assertion ended, and
 * "@second" between the passes.
 */
#include <errno.h>
#include <fenv.h>
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ENDED = 76, REJECTED = 77, ASSERTION = 99, TOO_MANY = 78, MAX = 64, CHECKS = 128, LINES = 4096, VALUES = 8 };

static struct {
  int n, done, partial;
  long runs;
  unsigned digit[MAX], radix[MAX];
  struct {
    int reached, values, kind;
    int64_t value[VALUES], min, max, a, b;
  } check[CHECKS];
  unsigned char hit[LINES];
} *shared;
static int position, second, may_fail;
static jmp_buf end_of_run;

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

void native_end(void) { longjmp(end_of_run, ENDED); }

void native_assume(_Bool c) {
  if (!c)
    longjmp(end_of_run, REJECTED);
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
    longjmp(end_of_run, ASSERTION);
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

/* ubsan.c: a violation was reported. */
void native_violation(int code);
void native_violation(int code) { longjmp(end_of_run, code); }

/* The program's variables: see unitproof.h. */
extern char __start_proof_data[] __attribute__((weak)), __stop_proof_data[] __attribute__((weak));
extern char __start_proof_bss[] __attribute__((weak)), __stop_proof_bss[] __attribute__((weak));

/* A copy that AddressSanitizer neither checks nor replaces: red zones are copied, too. */
__attribute__((no_sanitize("address"))) static void copy(char *to, const char *from, size_t n) {
  for (volatile size_t i = 0; i < n; i++)
    to[i] = from[i];
}

static char *initial;
static size_t data_size, bss_size;
static void save(void) {
  data_size = (size_t)(__stop_proof_data - __start_proof_data);
  bss_size = (size_t)(__stop_proof_bss - __start_proof_bss);
  initial = malloc(data_size + bss_size + 1);
  copy(initial, __start_proof_data, data_size);
  copy(initial + data_size, __start_proof_bss, bss_size);
}
static void restore(void) {
  copy(__start_proof_data, initial, data_size);
  copy(__start_proof_bss, initial + data_size, bss_size);
  errno = 0;
  feclearexcept(FE_ALL_EXCEPT);
  fesetround(FE_TONEAREST);
}

int proof_main(void);

static void report(int code) {
  fprintf(stderr, "@run %d", code);
  for (int i = 0; i < shared->n; i++)
    fprintf(stderr, " %u", shared->digit[i]);
  fputs("\n", stderr);
}

/* next_input counts on, and reports whether there is another input. */
static int next_input(long limit) {
  while (shared->n > 0 && ++shared->digit[shared->n - 1] == shared->radix[shared->n - 1])
    shared->n--;
  if (shared->n == 0)
    shared->done = 1;
  else if (shared->runs == limit)
    shared->done = shared->partial = 1;
  return !shared->done;
}

static void run_inputs(long limit) {
  do {
    shared->runs++;
    position = 0;
    restore();
    alarm(40); /* a run that waits, for a lock of a sanitizer, takes no CPU time */
    setitimer(ITIMER_PROF, &(struct itimerval){.it_value = {5, 0}}, NULL);
    int code = setjmp(end_of_run);
    if (code == 0)
      proof_main();
    else if (code != ENDED && code != REJECTED)
      report(code);
  } while (next_input(limit));
}

/* pass executes all inputs and prints the results. It reports whether there are any. */
static int pass(long limit) {
  while (!shared->done) {
    pid_t child = fork();
    if (child < 0)
      abort();
    if (child == 0) {
      run_inputs(limit);
      _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGPROF || WTERMSIG(status) == SIGALRM)) {
      puts("slow");
      return 0;
    }
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (code == TOO_MANY) {
      puts("partial");
      return 0;
    }
    if (code != 0) {
      report(code);
      next_input(limit);
    }
  }
  if (shared->partial)
    puts("partial");
  printf("runs %ld\n", shared->runs);
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
  puts("end");
  fflush(stdout);
  return 1;
}

int main(int argc, char **argv) {
  if (argc < 2)
    return 2;
  may_fail = argc > 2;
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED)
    return 2;
  save();
  if (!pass(atol(argv[1])))
    return 0;
  memset(shared, 0, sizeof *shared);
  int k = 0;
  while (k < CHECKS &&
         scanf("%d %" SCNd64 " %" SCNd64, &shared->check[k].kind, &shared->check[k].a, &shared->check[k].b) == 3)
    k++;
  second = 1;
  fputs("@second\n", stderr);
  return pass(atol(argv[1])) ? 0 : 2;
}
