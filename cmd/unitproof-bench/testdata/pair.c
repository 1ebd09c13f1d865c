// Runs two versions of a function natively, with the same random arguments on the same memory, and compares them.
//
//   pair BEFORE.so AFTER.so KINDS RUNS SEED
//
// KINDS has a letter for each parameter: p for a pointer, i for a number. Pointers lead into an arena whose words are
// small numbers, texts, and pointers into the arena, so that most structures of pointers have objects behind them. Each
// call runs in a child. If the version before crashes or takes too long, the run does not count. The result, the arena
// and the order of calls of functions without a body are compared. It prints "differs", or the number of runs that
// count.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIZE = 1 << 15, MAX_ARGUMENTS = 6 };
static unsigned char *const arena = (unsigned char *)0x100000000000;

struct outcome {
  uint64_t done, result, calls, memory;
};

static uint64_t state, calls;

static uint64_t random64(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

static uint64_t mix(uint64_t a, uint64_t b) { return (a ^ b) * 0x9e3779b97f4a7c15u ^ a >> 29; }

// The functions without a body call it with their numbers.
long unitproof_called(long number) {
  calls = mix(calls, number + 1);
  uint64_t r = calls;
  return r % 4 == 0 ? 0 : r % 4 == 1 ? (long)(r >> 60) : r % 4 == 2 ? (long)(arena + (r >> 40) % SIZE / 16 * 16) : -1;
}

static uint64_t number(void) {
  uint64_t r = random64();
  switch (r % 8) {
  case 0: return 0;
  case 1: return -(r >> 32) % 5;
  case 2: return 1ull << (r >> 32) % 64;
  case 3: return r;
  default: return (r >> 32) % (r % 16 < 8 ? 8 : 300);
  }
}

static uint64_t pointer(void) { return (uint64_t)arena + random64() % (SIZE / 2) / 16 * 16; }

static void fill(void) {
  for (int i = 0; i < SIZE; i += 8) {
    uint64_t w = 0, r = random64();
    switch (r % 10) {
    case 0: case 1: case 2: w = pointer(); break;
    case 3: break;
    case 4: w = r; break;
    case 5: case 6:
      for (int k = 0; k < 8; k++)
        w = w << 8 | (unsigned char)"abz09 .,/~\\\"[]{}:-\n&"[random64() % 20];
      if (r & 1024)
        w &= 0xffffffffffffffffu >> 8 * ((r >> 20) % 8);
      break;
    default: w = (number() & 0xffffffff) | number() << 32;
    }
    memcpy(arena + i, &w, 8);
  }
}

static void run(long (*f)(long, long, long, long, long, long), const long *a, struct outcome *out) {
  memset(out, 0, sizeof *out);
  pid_t child = fork();
  if (child == 0) {
    alarm(1);
    fclose(stdout);
    fclose(stderr);
    calls = 1;
    uint64_t result = f(a[0], a[1], a[2], a[3], a[4], a[5]), memory = 1;
    for (int i = 0; i < SIZE; i += 8) {
      uint64_t w;
      memcpy(&w, arena + i, 8);
      memory = mix(memory, w);
    }
    out->result = result;
    out->calls = calls;
    out->memory = memory;
    out->done = 1;
    _exit(0);
  }
  waitpid(child, NULL, 0);
}

int main(int argc, char **argv) {
  if (argc != 6)
    return 2;
  long (*f[2])(long, long, long, long, long, long);
  for (int i = 0; i < 2; i++) {
    void *library = dlopen(argv[1 + i], RTLD_NOW | RTLD_LOCAL);
    f[i] = library ? (long (*)(long, long, long, long, long, long))dlsym(library, "unitproof_entry") : NULL;
    if (f[i] == NULL) {
      printf("%s\n", dlerror());
      return 2;
    }
  }
  const char *kinds = argv[3];
  long runs = atol(argv[4]);
  state = strtoull(argv[5], NULL, 10) * 2 + 1;
  void *got = mmap(arena, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  struct outcome *out = mmap(NULL, 2 * sizeof *out, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (got != arena || out == MAP_FAILED || strlen(kinds) > MAX_ARGUMENTS)
    return 2;
  long counted = 0;
  for (long i = 0; i < runs; i++) {
    long arguments[MAX_ARGUMENTS] = {0};
    fill();
    for (int k = 0; kinds[k] != 0; k++)
      arguments[k] = kinds[k] == 'p' && random64() % 12 != 0 ? pointer() : kinds[k] == 'p' ? 0 : number();
    run(f[0], arguments, &out[0]);
    if (!out[0].done)
      continue;
    counted++;
    run(f[1], arguments, &out[1]);
    if (memcmp(&out[0], &out[1], sizeof *out) != 0) {
      printf("differs in run %ld\n", i);
      return 1;
    }
  }
  printf("no difference in %ld runs\n", counted);
  return 0;
}
