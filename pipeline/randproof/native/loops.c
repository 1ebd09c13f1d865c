/*
 * Runs a proof about loops natively, with many lengths (the first input), choices of the second input and styles of
 * all others. A child runs inputs until one crashes; the parent continues behind it with another child.
 * stdout gets a line for each assertion that was reached, and the numbers of runs and of runs that were stopped.
 * stderr gets "@assertion LINE" or the report of a sanitizer, each followed by "@run INPUTS".
 */
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SMALL = 132, CHOICES = 8, STYLES = 10, CRASHES = 25, BATCH = 2000, LINES = 1000 };

static const unsigned large[] = {200, 257, 512, 1000};
enum { LENGTHS = SMALL + sizeof large / sizeof *large, ALL = LENGTHS * CHOICES * STYLES };

static struct {
  unsigned at, stopped;
  unsigned char hit[LINES], violated[LINES];
} *shared;
static uint64_t state;
static unsigned length, choice, style, inputs, row, spike;
static jmp_buf end;

static uint64_t next(void) {
  state ^= state << 13; state ^= state >> 7; state ^= state << 17;
  return (state * 0x2545F4914F6CDD1D) >> 32;
}

static uint64_t input(void) {
  uint64_t v = next();
  switch (style) {
    case 0: return 0;
    case 1: return v;
    case 2: return v % 3;
    case 3: return v % 2 ? v % 307 : length;
    case 4: return 1;
    case 5: return v % 40 == 0 ? v >> 8 : 0;
    case 6: return v % 40 == 0 ? v % 5 : 255;
    case 7: return v % 100;
    case 8: return v % 8;
  }
  return v % 60 ? 3 : v % 9;
}

unsigned nd_uint(void) {
  switch (inputs++) {
    case 0: return length;
    case 1:
      switch (choice) {
        case 0: return (unsigned)input();
        case 1: return 0;
        case 2: return 3;
        case 3: return length;
        case 4: return length / 2;
        case 5: return length - 1;
        case 6: return 70;
      }
      return length + 1;
  }
  return style == 8 || style == 9 ? (unsigned)(next() % (length + 1)) : (unsigned)input();
}

/* True for some calls in a row, then false; or three times in four. */
bool nd_bool(void) {
  static const unsigned most[CHOICES] = {1, 2, 3, 4, 6, 9, 20, 70};
  if (style % 2)
    return next() % 4 != 0;
  if (row == 0) {
    row = 1 + (unsigned)(next() % most[choice]);
    return false;
  }
  row--;
  return true;
}

/* Small numbers are often equal. */
int nd_int(void) { return style == 1 ? (int)next() : (int)(next() % 5) + (style == 2) * 5 - (style == 3) * 2; }
uint8_t nd_uint8_t(void) { return (uint8_t)nd_int(); }
int8_t nd_int8_t(void) { return (int8_t)nd_int(); }

/* Bytes; or, in a part of the runs, one byte that differs from all others. */
void memhavoc(void *p, size_t n) {
  unsigned char *b = p;
  for (size_t i = 0; i < n; i++)
    b[i] = (unsigned char)(style == 7 && choice % 2 ? i / 4 : style == 3 && i % 4 ? 0 : input());
  if (style == 9 && n > 0)
    b[next() % n] = (unsigned char)(next() % 9);
  if (style == 4 && choice > 2 && n > 0)
    b[n - 1 - next() % (n < 4 ? n : 4)] = (unsigned char)(next() % 9);
}

void assume(int c) {
  if (!c)
    longjmp(end, 1);
}

void holds(int c, int line) {
  shared->hit[line] = 1;
  if (c)
    return;
  if (!shared->violated[line]) {
    shared->violated[line] = 1;
    fprintf(stderr, "@assertion %d\n@run length %u, choice %u, style %u\n", line, length, choice, style);
  }
  longjmp(end, 1);
}

int proof(void);

/* Two seconds for one input. */
static void watch(void) {
  struct itimerval t = {{0, 0}, {2, 0}};
  setitimer(ITIMER_REAL, &t, NULL);
}

static void set(unsigned at) {
  unsigned i = at / (CHOICES * STYLES);
  length = i < SMALL ? i : large[i - SMALL];
  choice = at / STYLES % CHOICES;
  style = at % STYLES;
  state = 88172645463325252u + at * UINT64_C(977131071);
  for (int k = 0; k < 8; k++)
    next();
  inputs = 0;
  row = length % (8 + choice);
}

static void batch(unsigned from) {
  for (unsigned at = from; at < ALL && at < from + BATCH; at++) {
    shared->at = at;
    set(at);
    watch();
    if (!setjmp(end))
      proof();
  }
  fflush(stderr);
  _exit(0);
}

int main(void) {
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED)
    return 2;
  unsigned crashes = 0;
  for (unsigned from = 0; from < ALL && crashes < CRASHES;) {
    pid_t child = fork();
    if (child == 0)
      batch(from);
    int status;
    if (child < 0 || waitpid(child, &status, 0) < 0)
      return 2;
    from = shared->at + 1;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) {
      crashes += 5;
      shared->stopped++;
    } else if (status != 0) {
      crashes++;
      set(shared->at);
      fprintf(stderr, "@run length %u, choice %u, style %u\n", length, choice, style);
    }
  }
  for (int i = 0; i < LINES; i++)
    if (shared->hit[i])
      printf("hit %d\n", i);
  printf("runs %u\nstopped %u\n", shared->at + 1, shared->stopped);
  return 0;
}
