/*
 * unitproof_run.c: runs a unit proof natively.
 *
 * A unit proof is ordinary C, so it can be compiled and run. This file gives bodies to the words
 * of unitproof.h (nd_int, assume, sassert, memhavoc, ...) and to those of other dialects that
 * unitproof knows. Three programs are made with it:
 *
 * 1. With libFuzzer, by you. If the entry is called main, rename it; UNITPROOF_ENTRY names
 *    any other entry:
 *
 *      clang -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -I DIR \
 *            -Dmain=unitproof_entry my_harness.c my_code.c -o fuzz  DIR/unitproof_run.c
 *      ./fuzz
 *
 *    DIR is the folder of this file and of unitproof.h. Every arbitrary value takes bytes from the
 *    fuzzer's input; an assumption that does not hold ends the run; sassert(false) is a crash.
 *
 * 2. Without libFuzzer, by you: the same, with -fsanitize=address,undefined and
 *    -DUNITPROOF_MAIN. ./program [SECONDS [SEED]] runs it with random inputs.
 *
 * 3. By unitproof (-DUNITPROOF_MODULE), for `unitproof replay` and `unitproof run`: the program
 *    is linked to the very module that was verified, in which each request for an input has the number
 *    of its place ("site"). Its arguments:
 *
 *      replay FILE                     serve the inputs of FILE, see load()
 *      random SECONDS SEED VIOLATIONS [LETTERS]
 *                                      random inputs, from run number SEED on, until the time is over or
 *                                      as many VIOLATIONS were met; A: allocations may fail; P: SECONDS
 *                                      are those of the processor
 *
 *    A violation is reported on stderr: by the sanitizers in their own words, by us as
 *    "unitproof: violation KIND" and a stack trace. With random inputs, stdout then has the inputs in
 *    the format of FILE, and stderr a line "unitproof: end of run N".
 *
 * A violation always calls unitproof_violation(), which is never inlined: break there to stop a
 * debugger at the moment of the violation, one frame above the violating place.
 *
 * Compile this file without sanitizers in case 3, so that it may touch memory for which the
 * sanitizer has not been told yet that it is in use.
 */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A size that the instrumented module passes: 64 bits on all machines. */
typedef uint64_t whole;
/* A condition, which programs declare with different types: the width of one argument. */
typedef unsigned long word;

#define EXPORT __attribute__((used, visibility("default")))
#define WEAK __attribute__((weak))

enum { VIOLATED = 99, DIVERGED = 96 };

/* The sanitizers' interface; weak, so that the file links without them. */
WEAK int __asan_address_is_poisoned(void const volatile *addr);
WEAK void *__asan_region_is_poisoned(void *beg, size_t size);
WEAK void __asan_storeN(void *p, size_t n);
WEAK void __asan_loadN(void *p, size_t n);
WEAK void __asan_poison_memory_region(void const volatile *p, size_t n);
WEAK void *__asan_memcpy(void *to, const void *from, size_t n);
WEAK const char *__asan_locate_address(void *addr, char *name, size_t name_size, void **region_address,
                                        size_t *region_size);
WEAK void __sanitizer_print_stack_trace(void);
WEAK size_t __asan_get_alloc_stack(void *addr, void **trace, size_t size, int *thread_id);
/* The heap of unitproof_sanitizers.c, which emulated programs have. */
WEAK void *unitproof_heap_new(size_t n, size_t align);
WEAK void unitproof_heap_free(void *p);
WEAK void __msan_poison(const volatile void *p, size_t n);
WEAK void __msan_unpoison(const volatile void *p, size_t n);
WEAK intptr_t __msan_test_shadow(const volatile void *p, size_t n);

/* The proof's memory is filled before the sanitizer knows that it may be used: no function of the
 * library touches it, for these are checked. */
static void wipe(void *to, size_t n) {
  for (volatile unsigned char *p = to; n; n--)
    *p++ = 0;
}
static void put(void *to, const void *from, size_t n) {
  const unsigned char *q = from;
  for (volatile unsigned char *p = to; n; n--)
    *p++ = *q++;
}

/* The n low bytes of v, in memory. */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define LOW(v, n) ((unsigned char *)&(v) + sizeof(v) - (n))
#else
#define LOW(v, n) ((unsigned char *)&(v))
#endif

#ifdef UNITPROOF_MODULE
/* Which bytes were never written is known where the program has MemorySanitizer's shadow memory (then it
 * has no AddressSanitizer). Stores of the program clear it and copies take it along; we set it for memory
 * whose content is arbitrary because nobody wrote it. */
static void never_written(void *p, size_t n) {
  if (__msan_poison && n)
    __msan_poison(p, n);
}
static void is_written(void *p, size_t n) {
  if (__msan_unpoison && n)
    __msan_unpoison(p, n);
}
static void copy_state(void *to, const void *from, size_t n) {
  is_written(to, n);
  for (size_t i = 0; __msan_test_shadow && i < n; i++)
    if (__msan_test_shadow((const char *)from + i, 1) >= 0)
      never_written((char *)to + i, 1);
}
#endif

/* ---- violations ------------------------------------------------------------------------------ */

#ifdef UNITPROOF_MODULE
/* The program's variable unitproof_judged: in random runs, a violation while it is 0 only ends the run. */
static int *judged;
static bool uncounted(void);
static void end_uncounted(void);
#endif

/* Where every violation passes; kind is one of `unitproof help kinds`, or "" when a sanitizer reports it. */
EXPORT __attribute__((noinline)) void unitproof_violation(const char *kind) {
  __asm__ volatile("" : : "r"(kind) : "memory");
#ifdef UNITPROOF_MODULE
  if (uncounted())
    end_uncounted();
#endif
}

static __attribute__((noinline)) void report(const char *kind, const char *detail) {
  fflush(stdout);
  fprintf(stderr, "unitproof: violation %s%s%s\n", kind, *detail ? ": " : "", detail);
  if (__sanitizer_print_stack_trace)
    __sanitizer_print_stack_trace();
}

static void finish(void);

/* A run is over: by its end or by an assumption that does not hold. */
static void leave(int how) __attribute__((noreturn));
enum { COMPLETE = 1, REJECTED = 2 };
static __attribute__((noinline)) void violated(const char *kind, const char *detail) {
#ifdef UNITPROOF_MODULE
  if (uncounted())
    leave(REJECTED);
#endif
  report(kind, detail);
  unitproof_violation(kind);
  finish();
#ifdef UNITPROOF_MODULE
  _exit(VIOLATED);
#else
  abort();
#endif
}

/* Called by the sanitizers when they report. */
EXPORT void __asan_on_error(void) { unitproof_violation(""); }
EXPORT void __ubsan_on_report(void) { unitproof_violation(""); }

/* ---- where inputs come from ------------------------------------------------------------------- */

enum source { RECORDED, RANDOM, BYTES };
static enum source source = RANDOM;
static sigjmp_buf again; /* the end of a run, with random inputs and with libFuzzer */
#ifdef UNITPROOF_MODULE
static bool may_fail, failing; /* failing: in this run. Of many allocations one would almost always fail. */
#endif

static void leave(int how) {
  if (source != RECORDED)
    siglongjmp(again, how);
  if (how == REJECTED) {
    report("none", "an assumption is false");
    _exit(DIVERGED);
  }
  finish();
  exit(0);
}

/* ---- recorded inputs --------------------------------------------------------------------------- */

/* A record is one line of the file:
 *   v SITE HEX              the next value that SITE asks for, in the byte order of the machine
 *   u SITE HEX              the next result of the operation at SITE that has none
 *   c SITE OFFSET:HEX,...   the next content that SITE asks for; other bytes are zero
 *   a SITE 0|1              whether the next allocation at SITE fails
 *   w SITE 0|1              whether the next call at SITE, of a function without a body, writes
 *   o NAME OFFSET:HEX,...   ... and what, to the object NAME: SITE#ORDINAL, or a variable
 *   g NAME OFFSET:HEX,...   content of a variable that no file defines
 *   f NAME HEX              the address of a variable or a function in the counterexample: where an input is
 *                           that of a function, it is given the one that the function has here
 *   b SITE N SITE#ORDINAL   the N-th execution (from 1) of the access at SITE belongs to that object
 */
#ifdef UNITPROOF_MODULE
struct record {
  char type;
  int site;
  const char *name;
  char *text;
  struct record *next;  /* of the same type and site */
  struct record *group; /* of a w: its o, and so on */
};
enum { BUCKETS = 4096 };
struct queue {
  char type;
  int site;
  struct record *first, *last;
  struct queue *chain;
};
static struct queue *queues[BUCKETS];
static struct record *globals;
static struct address {
  const char *name;
  uint64_t wanted;
  void *here; /* NULL: no function */
  struct address *next;
} *addresses;
static bool objects_wanted;

static struct queue *queue_of(char type, int site, bool make) {
  unsigned h = ((unsigned)site * 2654435761u ^ (unsigned)type) % BUCKETS;
  for (struct queue *q = queues[h]; q; q = q->chain)
    if (q->type == type && q->site == site)
      return q;
  if (!make)
    return NULL;
  struct queue *q = calloc(1, sizeof *q);
  q->type = type, q->site = site, q->chain = queues[h];
  return queues[h] = q;
}

static struct record *take(char type, int site) {
  struct queue *q = queue_of(type, site, false);
  if (!q || !q->first)
    return NULL;
  struct record *r = q->first;
  q->first = r->next;
  return r;
}

static void load(const char *file) {
  FILE *f = fopen(file, "r");
  if (!f) {
    perror(file);
    exit(2);
  }
  char *line = NULL;
  size_t room = 0;
  ssize_t n;
  struct record *writer = NULL;
  while ((n = getline(&line, &room, f)) > 0) {
    if (line[n - 1] == '\n')
      line[n - 1] = 0;
    char *copy = strdup(line);
    struct record *r = calloc(1, sizeof *r);
    r->type = copy[0];
    char *word = copy + 2;
    char *rest = strchr(word, ' ');
    if (rest)
      *rest++ = 0;
    else
      rest = word + strlen(word);
    r->text = rest, r->name = word;
    if (r->type == 'o') {
      objects_wanted = true;
      if (writer) {
        r->group = writer->group;
        writer->group = r;
      }
      continue;
    }
    if (r->type == 'f') {
      struct address *a = calloc(1, sizeof *a);
      a->name = word, a->wanted = strtoull(rest, NULL, 16), a->next = addresses;
      addresses = a;
      continue;
    }
    if (r->type == 'g') {
      r->next = globals;
      globals = r;
      continue;
    }
    r->site = atoi(word);
    if (r->type == 'w')
      writer = r;
    struct queue *q = queue_of(r->type, r->site, true);
    if (q->first && q->last)
      q->last->next = r;
    else
      q->first = r;
    q->last = r;
  }
  free(line);
  fclose(f);
}

static int digit(char c) { return c <= '9' ? c - '0' : (c | 32) - 'a' + 10; }

/* Pointers to functions in what came out of a record, n bytes at p, get the functions' addresses here. */
static void relocate(unsigned char *p, size_t n) {
  for (const struct address *a = addresses; a; a = a->next)
    for (size_t i = 0; a->here && i + sizeof a->here <= n; i += sizeof a->here) {
      uintptr_t v;
      put(&v, p + i, sizeof v);
      if (v == a->wanted)
        put(p + i, &a->here, sizeof v);
    }
}

/* Writes OFFSET:HEX,... over n bytes at p. */
static void put_runs(unsigned char *p, size_t n, const char *text) {
  while (*text) {
    char *end;
    size_t off = strtoull(text, &end, 10);
    for (text = end + 1; *text && *text != ','; text += 2, off++)
      if (off < n)
        p[off] = (unsigned char)(digit(text[0]) << 4 | digit(text[1]));
    if (*text == ',')
      text++;
  }
  relocate(p, n);
}

static void put_hex(unsigned char *p, size_t n, const char *text) {
  wipe(p, n);
  for (size_t i = 0; i < n && text[0] && text[1]; i++, text += 2)
    p[i] = (unsigned char)(digit(text[0]) << 4 | digit(text[1]));
  relocate(p, n);
}
#endif

/* ---- random inputs ----------------------------------------------------------------------------- */

/* Runs are bred: the choices of a run that reached a new edge of the program, or passed more
 * assumptions than any run before, are kept, and later runs change a few of them. What an input was
 * compared with is tried as its value (both operands of a comparison are seen by
 * -fsanitize-coverage=trace-cmp). So assumptions like `n == 4711 && p[2] == 'x'` are met soon. */
enum { GENES = 1024, POOL = 128, LEARNT = 32, SLOTS = 4096, RECENT = 96, EDGES = 1 << 16, LOG = 1 << 20 };

struct genome {
  unsigned length;
  uint64_t gene[GENES];
};
struct slot { /* what parts of a site's value were compared with */
  struct part {
    uint64_t value;
    unsigned char shift, bits;
  } parts[LEARNT];
  unsigned count;
};

/* What the runs have learnt. It is shared with the parent process, so that a run that dies leaves it
 * to the next ones, and tells what it chose. */
struct shared {
  uint64_t run, runs, rejected;
  unsigned length; /* of the log */
  bool overflow, ended;
  bool uncounted; /* the violation that ended the run does not count */
  unsigned pooled, born, best; /* best: the most assumptions that a run has passed */
  struct genome pool[POOL];
  struct slot slots[SLOTS];
  unsigned char edges[EDGES]; /* of the program, that some run has taken */
  char log[LOG];
};
static struct shared *shared;

#ifdef UNITPROOF_MODULE
static bool uncounted(void) { return source == RANDOM && judged && !*judged; }
/* A sanitizer is about to report: it cannot be left, but by the end of the process. */
static void end_uncounted(void) {
  shared->uncounted = true;
  _exit(VIOLATED);
}
#endif

static uint64_t state;                   /* of the generator */
static uint64_t genes[GENES];            /* of this run */
static unsigned drawn;                   /* so far in this run */
static const struct genome *parent;
static unsigned change_from, change_odds; /* which genes of the parent change */
static unsigned passed; /* assumptions */
#ifdef UNITPROOF_MODULE
static bool news; /* this run reached something new */
#endif
static struct {
  uint64_t value;
  unsigned slot;
} recent[RECENT];
static unsigned recents;

#ifdef UNITPROOF_MODULE
static void note(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void note(const char *format, ...) {
  if (!shared || shared->overflow)
    return;
  va_list args;
  va_start(args, format);
  int n = vsnprintf(shared->log + shared->length, LOG - shared->length, format, args);
  va_end(args);
  if (n < 0 || (unsigned)n >= LOG - shared->length)
    shared->overflow = true;
  else
    shared->length += (unsigned)n;
}

static void note_hex(const unsigned char *p, size_t n) {
  static const char hex[] = "0123456789abcdef";
  if (!shared || shared->overflow)
    return;
  if (2 * n + 2 >= LOG - shared->length) {
    shared->overflow = true;
    return;
  }
  for (size_t i = 0; i < n; i++) {
    shared->log[shared->length++] = hex[p[i] >> 4];
    shared->log[shared->length++] = hex[p[i] & 15];
  }
}
#endif

static uint64_t next(void) { /* splitmix64 */
  uint64_t z = (state += UINT64_C(0x9E3779B97F4A7C15));
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}

/* A fresh gene. Boundary values are where proofs break, small ones are what assumptions let through. */
static uint64_t fresh(unsigned bits) {
  uint64_t mask = bits >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1;
  switch (next() % 11) {
  case 0: return 0;
  case 1: return 1 & mask;
  case 2: return mask;
  case 3: return mask >> 1;
  case 4: return (mask >> 1) + 1;
  case 5: return next() % 4 & mask;
  case 6: return next() % 20 & mask;
  case 7: return next() % 300 & mask;
  case 8: return ((UINT64_C(1) << next() % (bits ? bits < 64 ? bits : 64 : 1)) + next() % 3 - 1) & mask;
  case 9: return (0 - next() % 20) & mask;
  }
  return next() & mask;
}

static const uint8_t *fuzz_data; /* of libFuzzer */
static size_t fuzz_left;

static uint64_t draw(unsigned site, unsigned bits) {
  unsigned slot = site % SLOTS;
  uint64_t mask = bits >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1;
  uint64_t v = 0;
  if (source == BYTES) {
    for (unsigned i = 0; i < (bits + 7) / 8 && fuzz_left; i++, fuzz_left--)
      v |= (uint64_t)*fuzz_data++ << 8 * i;
    return v & mask;
  }
  const struct slot *s = &shared->slots[slot];
  bool inherited = parent && drawn < parent->length;
  if (inherited && (drawn < change_from || next() % change_odds))
    v = parent->gene[drawn] & mask;
  else if (s->count && next() % 2) { /* a part of it becomes what it was compared with, or nearly so */
    const struct part *part = &s->parts[next() % (s->count < LEARNT ? s->count : LEARNT)];
    uint64_t field = part->bits >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << part->bits) - 1;
    uint64_t how = next() % 8, want = part->value;
    want = how == 0 ? want - 1 : how == 1 ? want + 1 : how == 2 && want ? next() % want : want;
    v = inherited && next() % 4 ? parent->gene[drawn] : fresh(bits);
    v = ((v & ~(field << part->shift)) | (want & field) << part->shift) & mask;
  } else
    v = fresh(bits);
  if (drawn < GENES)
    genes[drawn] = v;
  drawn++;
  recent[recents % RECENT].value = v;
  recent[recents % RECENT].slot = slot;
  recents++;
  return v;
}

/* Content is bred as a key and a style; short content as words, so that it can be learnt. */
enum { WORDS = 512, FULL = 1 << 12 }; /* bytes behind FULL are zero */
static size_t random_bytes(unsigned site, unsigned char *p, size_t n, bool clean) { /* clean: all zero already */
  if (source == BYTES) {
    size_t some = n < fuzz_left ? n : fuzz_left;
    put(p, fuzz_data, some);
    if (!clean)
      wipe(p + some, n - some);
    fuzz_data += some, fuzz_left -= some;
    return n;
  }
  if (n <= WORDS) {
    for (size_t i = 0; i < n; i += 8) {
      size_t some = n - i < 8 ? n - i : 8;
      uint64_t v = draw(site + (unsigned)(i / 8) * 97, (unsigned)some * 8);
      put(p + i, LOW(v, some), some);
    }
    return n;
  }
  uint64_t key = draw(site, 61), style = key & 3;
  size_t some = n < FULL ? n : FULL;
  for (size_t i = 0; i < some; i++) {
    uint64_t x = key + i * UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x ^= x >> 29;
    p[i] = style == 0   ? 0
           : style == 1 ? (unsigned char)(i % 8 ? 0 : x % 6)
           : style == 2 ? (unsigned char)"0 aAz9\0-,x"[x % 10]
                        : (unsigned char)x;
  }
  if (!clean)
    wipe(p + some, n - some);
  return some;
}

#ifdef UNITPROOF_MODULE
/* An operand of a comparison that was a part of an input a moment ago teaches what to try there. */
static bool learning; /* in this run: it takes time */
static void learn_part(uint64_t a, uint64_t b, unsigned bits) {
  uint64_t mask = bits >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1;
  unsigned n = recents < RECENT ? recents : RECENT;
  a &= mask, b &= mask;
  for (unsigned i = 0; i < n; i++)
    for (unsigned shift = 0; shift + bits <= 64; shift += 8) {
      uint64_t v = recent[i].value >> shift & mask;
      if (v != a && v != b)
        continue;
      struct slot *s = &shared->slots[recent[i].slot];
      struct part part = {v == a ? b : a, (unsigned char)shift, (unsigned char)bits};
      unsigned known = s->count < LEARNT ? s->count : LEARNT;
      bool seen = false;
      for (unsigned k = 0; k < known; k++)
        seen |= s->parts[k].value == part.value && s->parts[k].shift == part.shift && s->parts[k].bits == part.bits;
      if (!seen)
        s->parts[s->count++ % LEARNT] = part;
    }
}
static void learn(uint64_t a, uint64_t b, unsigned bits) {
  if (!learning || a == b)
    return;
  learn_part(a, b, bits);
  /* A narrow part may have been widened before it was compared. */
  int64_t x = bits == 32 ? (int32_t)a : (int64_t)a, y = bits == 32 ? (int32_t)b : (int64_t)b;
  for (unsigned narrow = 8; narrow < bits; narrow *= 2) {
    int64_t least = -(INT64_C(1) << (narrow - 1)), most = INT64_C(1) << narrow;
    if (x >= least && x < most && y >= least && y < most)
      learn_part(a, b, narrow);
  }
}

EXPORT void __sanitizer_cov_trace_cmp1(uint8_t a, uint8_t b) { learn(a, b, 8); }
EXPORT void __sanitizer_cov_trace_cmp2(uint16_t a, uint16_t b) { learn(a, b, 16); }
EXPORT void __sanitizer_cov_trace_cmp4(uint32_t a, uint32_t b) { learn(a, b, 32); }
EXPORT void __sanitizer_cov_trace_cmp8(uint64_t a, uint64_t b) { learn(a, b, 64); }
EXPORT void __sanitizer_cov_trace_const_cmp1(uint8_t a, uint8_t b) { learn(a, b, 8); }
EXPORT void __sanitizer_cov_trace_const_cmp2(uint16_t a, uint16_t b) { learn(a, b, 16); }
EXPORT void __sanitizer_cov_trace_const_cmp4(uint32_t a, uint32_t b) { learn(a, b, 32); }
EXPORT void __sanitizer_cov_trace_const_cmp8(uint64_t a, uint64_t b) { learn(a, b, 64); }
EXPORT void __sanitizer_cov_trace_switch(uint64_t v, uint64_t *cases) {
  for (uint64_t i = 0; i < cases[0] && i < 16; i++)
    learn(v, cases[2 + i], (unsigned)cases[1]);
}
EXPORT void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop) {
  static uint32_t edges;
  for (uint32_t *x = start; x < stop; x++)
    if (!*x)
      *x = ++edges;
}
EXPORT void __sanitizer_cov_trace_pc_guard(uint32_t *guard) {
  if (!*guard || source != RANDOM)
    return;
  unsigned char *seen = &shared->edges[*guard % EDGES];
  *guard = 0;
  if (!*seen)
    *seen = 1, news = true;
}
#endif

/* ---- what a proof asks for ---------------------------------------------------------------------- */

#ifdef UNITPROOF_MODULE
/* A scalar of bits bits at p, in as many bytes as that takes; POINTER is an address in no object. */
enum { POINTER = 1 << 16 };
static void scalar(char type, int site, void *p, unsigned bits) {
  bool pointer = bits == POINTER;
  if (pointer)
    bits = 8 * sizeof(void *);
  size_t n = (bits + 7) / 8;
  if (source == RECORDED) {
    struct record *r = take(type, site);
    put_hex(p, n, r ? r->text : "");
    is_written(p, n);
    return;
  }
  unsigned char *to = p;
  for (size_t i = 0; i < n; i += 8) {
    size_t some = n - i < 8 ? n - i : 8;
    unsigned wide = bits - (unsigned)i * 8 < 64 ? bits - (unsigned)i * 8 : 64;
    uint64_t v = draw((unsigned)site, pointer ? 17 : wide);
    if (pointer) /* above every mapping of a process */
      v = v & 1 ? (UINT64_C(0xF) << (bits - 4)) + (v >> 1 << 4) : 0;
    put(to + i, LOW(v, some), some);
  }
  note("%c %d ", type, site);
  note_hex(p, n);
  note("\n");
}

static void content(int site, void *p, size_t n, bool clean) {
  if (source == RECORDED) {
    struct record *r = take('c', site);
    if (!clean)
      wipe(p, n);
    if (r)
      put_runs(p, n, r->text);
    return;
  }
  size_t some = random_bytes((unsigned)site, p, n, clean);
  if (n == 0)
    note("c %d\n", site);
  else {
    note("c %d 0:", site);
    note_hex(p, some);
    note("\n");
  }
}

#endif

#ifdef UNITPROOF_MODULE
/* The content of memory that was never written. A judged violation does not depend on it. */
static void unwritten(int site, void *p, size_t n, bool clean) {
  if (source != RANDOM || !judged)
    content(site, p, n, clean);
  else if (!clean)
    wipe(p, n);
}
#endif

EXPORT void unitproof_assume(word c) {
  if (!(c & 255))
    leave(REJECTED);
  passed++;
}
EXPORT void unitproof_assert(word c) {
  if (!(c & 255))
    violated("assertion", "");
}
EXPORT void unitproof_fail(void) { violated("assertion", ""); }

/* Contracts: loops are executed, and their contracts checked. What a frame allows is not known here. */
EXPORT int unitproof_contract_loops(void) { return 1; }
EXPORT int unitproof_contract_symbolic(void) { return 0; } /* quantifiers are loops */
EXPORT void unitproof_contract_assuming(int on) { (void)on; }
EXPORT void unitproof_contract_apart(const void *p) { (void)p; }
EXPORT void unitproof_contract_requires(word c, const char *text) {
  (void)text;
  if (!(c & 255))
    violated("precondition", "");
}
EXPORT void unitproof_contract_ensures(word c, const char *text) {
  (void)text;
  if (!(c & 255))
    violated("postcondition", "");
}
EXPORT void unitproof_contract_invariant(word c, word entry, const char *text) {
  (void)entry;
  (void)text;
  if (!(c & 255))
    violated("loop-invariant", "");
}
EXPORT void unitproof_contract_variant(word c, const char *text) {
  (void)text;
  if (!(c & 255))
    violated("loop-variant", "");
}
EXPORT void unitproof_frame_begin(word loop) { (void)loop; }
EXPORT void unitproof_frame_add(const void *p, size_t n) { (void)p, (void)n; }
EXPORT void unitproof_frame_free(const void *p) { (void)p; }
EXPORT void unitproof_frame_written(word entered) { (void)entered; }
EXPORT void unitproof_frame_pause(void) {}
EXPORT void unitproof_frame_go_on(void) {}
EXPORT void unitproof_frame_end(void) {}
EXPORT void unitproof_loop_leave(char *p) { (void)p; }
EXPORT void unitproof_loop_leaving(word more) { (void)more; }

EXPORT void unitproof_end(void) { leave(COMPLETE); }
EXPORT void unitproof_abort(int status) {
  (void)status;
  leave(COMPLETE);
}
#ifdef UNITPROOF_MODULE
WEAK void unitproof_at_end(void); /* what the program runs at its end */
EXPORT void unitproof_exit(int status) {
  (void)status;
  if (unitproof_at_end)
    unitproof_at_end();
  leave(COMPLETE);
}
#endif

static bool readable(const void *p, size_t n) {
  if ((uintptr_t)p < 4096 || (uint64_t)(uintptr_t)p >> 47 || n > UINT64_C(1) << 40)
    return false;
  return !__asan_region_is_poisoned || __asan_region_is_poisoned((void *)(uintptr_t)p, n) == NULL;
}

static bool starts_block(const void *p);
EXPORT bool unitproof_dereferenceable(const void *p, intptr_t n) {
  if (n < 0)
    return false;
  if (n == 0)
    return p == NULL || readable(p, 1) || readable((const char *)p - 1, 1) || starts_block(p);
  return readable(p, (size_t)n);
}

/* ---- heap ----------------------------------------------------------------------------------------- */

#ifdef UNITPROOF_MODULE
struct block { /* a live heap block */
  unsigned char *p;
  size_t size;
  int site;
  bool kept; /* reachable, during the search for leaks */
  bool lent; /* not the program's to free */
};
static struct block *blocks;
static unsigned nblocks, room_blocks;

static struct block *block_at(const void *p) {
  for (unsigned i = nblocks; i-- > 0;)
    if (blocks[i].p == p)
      return &blocks[i];
  return NULL;
}

static bool starts_block(const void *p) { return block_at(p) != NULL; }

static void forget(const void *p) {
  struct block *b = block_at(p);
  if (b)
    *b = blocks[--nblocks];
}
#else
static bool starts_block(const void *p) { return (void)p, false; }
#endif

/* ---- the verified module --------------------------------------------------------------------------- */

#ifdef UNITPROOF_MODULE
EXPORT int32_t unitproof_site; /* of the call that is being executed */
void unitproof_start(void);
void unitproof_entry(void);

/* Objects by name, for functions without a body that write them. */
struct object {
  int site;
  unsigned ordinal;
  void *p;
  size_t size;
  struct object *next;
};
static struct object *objects;

static void made(int site, void *p, size_t n) {
  if (!objects_wanted)
    return;
  struct object *o = calloc(1, sizeof *o);
  for (struct object *e = objects; e; e = e->next)
    if (e->site == site) { /* the youngest comes first */
      o->ordinal = e->ordinal + 1;
      break;
    }
  o->site = site, o->p = p, o->size = n, o->next = objects;
  objects = o;
}

/* Memory of the program that is constant, though the machine could write it. */
static struct constant { char *p; size_t n; } *constants;
static unsigned nconstants;
static bool shares(const struct constant *c, const void *p, size_t n) {
  return (uintptr_t)c->p < (uintptr_t)p + n && (uintptr_t)p < (uintptr_t)c->p + c->n;
}
static void not_constant(const void *p, size_t n) {
  for (unsigned i = nconstants; i-- > 0;)
    if (shares(&constants[i], p, n))
      constants[i] = constants[--nconstants];
}
EXPORT void unitproof_constant(void *p, whole n, int constant) {
  not_constant(p, n);
  if (!constant)
    return;
  constants = realloc(constants, (nconstants + 1) * sizeof *constants);
  constants[nconstants].p = p, constants[nconstants++].n = n;
}
EXPORT void unitproof_writes_constant(void *p, whole n) {
  for (unsigned i = 0; i < nconstants; i++)
    if (n && shares(&constants[i], p, n))
      violated("read-only-write", "the memory is constant");
}

EXPORT void unitproof_local(int site, void *p, whole n) {
  not_constant(p, n);
  unwritten(site, p, n, false);
  if (site > 0) /* not a parameter of the entry */
    never_written(p, n);
  made(site, p, n);
}
/* A temporary, whose memory is not given back at its end. */
WEAK void __asan_poison_stack_memory(uintptr_t p, size_t n);
WEAK void __asan_unpoison_stack_memory(uintptr_t p, size_t n);
EXPORT void unitproof_expires(void *p, whole n) {
  if (__asan_poison_stack_memory)
    __asan_poison_stack_memory((uintptr_t)p, n);
}
EXPORT void unitproof_revives(void *p, whole n) {
  if (__asan_unpoison_stack_memory)
    __asan_unpoison_stack_memory((uintptr_t)p, n);
}
EXPORT void unitproof_value(int site, void *p, int bits) { scalar('v', site, p, (unsigned)bits); }
EXPORT void unitproof_structure(void *p, whole n) { /* a result in memory */
  content(unitproof_site, p, n, false);
  is_written(p, n);
}
EXPORT void unitproof_result(void *p, int bits) { scalar('v', unitproof_site, p, (unsigned)bits); }

/* Operations behind a check that may fail and be accepted: what has no result gives any value. */
static uint64_t no_result(int site, int bits) {
  uint64_t v = 0;
  scalar('u', site, LOW(v, ((unsigned)bits + 7) / 8), (unsigned)bits);
  return v;
}
EXPORT uint64_t unitproof_integer(int site, int operation, uint64_t x, uint64_t y, int bits) {
  int64_t sx = (int64_t)(x << (64 - bits)) >> (64 - bits), sy = (int64_t)(y << (64 - bits)) >> (64 - bits);
  if (operation >= 4 ? y >= (uint64_t)bits : y == 0)
    return no_result(site, bits);
  switch (operation) {
  case 0: return x / y;
  case 1: return sy == -1 ? 0 - (uint64_t)sx : (uint64_t)(sx / sy); /* the one that overflows wraps */
  case 2: return x % y;
  case 3: return sy == -1 ? 0 : (uint64_t)(sx % sy);
  case 4: return x << y;
  case 5: return x >> y;
  default: return (uint64_t)(sx >> y);
  }
}
EXPORT uint64_t unitproof_to_integer(int site, int is_signed, double x, int bits) {
  double end = __builtin_ldexp(1, bits - is_signed), least = is_signed ? -end : 0;
  x = __builtin_trunc(x);
  if (!(x >= least && x < end))
    return no_result(site, bits);
  return is_signed ? (uint64_t)(int64_t)x : (uint64_t)x;
}
/* The bits of a NaN that an operation yields are the machine's. */
EXPORT float unitproof_nan32(int site, float x) {
  if (x == x)
    return x;
  uint32_t bits = 0x7fc00000u | (uint32_t)no_result(site, 32);
  memcpy(&x, &bits, sizeof x);
  return x;
}
EXPORT double unitproof_nan64(int site, double x) {
  if (x == x)
    return x;
  uint64_t bits = 0x7ff8000000000000u | no_result(site, 64);
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* The program's variables. kind: 0 defined by it, 1 not defined, 2 not defined and constant. */
struct variable {
  const char *name;
  unsigned char *p, *saved;
  size_t size;
  int kind;
};
static struct variable *variables;
static unsigned nvariables;

static int *proof_errno; /* the program's errno; NULL: it does not use it */
static void set_errno(int number) {
  if (proof_errno)
    put(proof_errno, &number, sizeof number);
}
EXPORT int *unitproof_contract_errno(void) { return proof_errno; }
/* Before what a function does that may leave any number there. */
EXPORT void unitproof_may_change_errno(void) {
  int number = 0;
  if (proof_errno)
    scalar('v', unitproof_site, &number, 32);
  if (number)
    set_errno(number);
}
/* Around a call of the library, which sets its own errno. */
EXPORT void unitproof_before_errno(void) { errno = 0; }
EXPORT void unitproof_after_errno(void) {
  if (errno)
    set_errno(errno);
}

EXPORT void unitproof_variable(const char *name, void *p, whole n, int kind) {
  if (!strcmp(name, "__unitproof_errno"))
    proof_errno = p;
  if (!strcmp(name, "unitproof_judged"))
    judged = p;
  if (!strcmp(name, "unitproof_scratch")) /* its content at the start of a run does not matter */
    return;
  variables = realloc(variables, (nvariables + 1) * sizeof *variables);
  struct variable *v = &variables[nvariables++];
  v->name = name, v->p = p, v->size = n, v->kind = kind, v->saved = NULL;
  if (kind == 0)
    return;
  if (source == RECORDED) {
    for (struct record *r = globals; r; r = r->next)
      if (!strcmp(r->name, name))
        put_runs(p, n, r->text);
  }
}

/* What a function without a body writes. */
EXPORT void unitproof_writes(void) {
  if (source != RECORDED)
    return;
  struct record *w = take('w', unitproof_site);
  if (!w || w->text[0] != '1')
    return;
  for (struct record *r = w->group; r; r = r->group) {
    const char *hash = strchr(r->name, '#');
    if (hash) {
      int site = atoi(r->name);
      unsigned ordinal = (unsigned)atoi(hash + 1);
      for (struct object *o = objects; o; o = o->next)
        if (o->site == site && o->ordinal == ordinal) {
          wipe(o->p, o->size);
          put_runs(o->p, o->size, r->text);
          is_written(o->p, o->size);
        }
      continue;
    }
    for (unsigned i = 0; i < nvariables; i++)
      if (!strcmp(variables[i].name, r->name)) {
        wipe(variables[i].p, variables[i].size);
        put_runs(variables[i].p, variables[i].size, r->text);
      }
  }
}

/* Before a read of n bytes by the program. whole: a part of them may be padding. */
EXPORT void unitproof_read(void *p, whole n, int whole) {
  if (!__msan_test_shadow || __msan_test_shadow(p, n) < 0)
    return;
  for (size_t i = 0; whole && i < n; i++)
    if (__msan_test_shadow((char *)p + i, 1) < 0)
      return;
  violated("uninitialized-read", "");
}

/* Bit-fields: the shadow memory has a bit for each bit, 1 for one that was never written. A store of a field writes all
 * of its storage, which takes the bits around it for written. */
static unsigned char *shadow_of(void *p) { return (unsigned char *)((uintptr_t)p ^ UINT64_C(0x500000000000)); }
static unsigned char bits_before[16];
EXPORT void unitproof_read_bits(void *p, unsigned low, unsigned width) {
  for (unsigned bit = low; __msan_test_shadow && bit < low + width; bit++)
    if (shadow_of(p)[bit / 8] >> bit % 8 & 1)
      violated("uninitialized-read", "");
}
EXPORT void unitproof_before_bits(void *p, whole n) {
  if (__msan_test_shadow && n <= sizeof bits_before)
    put(bits_before, shadow_of(p), n);
}
EXPORT void unitproof_wrote_bits(void *p, whole n, unsigned low, unsigned width) {
  if (!__msan_test_shadow || n > sizeof bits_before)
    return;
  for (unsigned bit = low; bit < low + width; bit++)
    bits_before[bit / 8] &= (unsigned char)~(1 << bit % 8);
  put(shadow_of(p), bits_before, n);
}

/* Structs that a call passes by value: unitproof_give() before the call and unitproof_take() at the
 * beginning of the function, in the same order. */
static struct { void *p; size_t n; } given[16];
static unsigned ngiven;
EXPORT void unitproof_give(void *p, whole n) {
  if (ngiven < sizeof given / sizeof *given)
    given[ngiven].p = p, given[ngiven++].n = n;
}
EXPORT void unitproof_take(void *p, whole n) {
  if (!ngiven || given[0].n != n)
    return;
  void *from = given[0].p;
  for (unsigned i = 1; i < ngiven; i++)
    given[i - 1] = given[i];
  ngiven--;
  copy_state(p, from, n);
}

/* What __builtin_abs and its like negate: UndefinedBehaviorSanitizer does not look at it. */
EXPORT void unitproof_magnitude(int64_t x, int64_t least) {
  if (x == least)
    violated("signed-overflow", "the least number has no magnitude");
}
/* What UndefinedBehaviorSanitizer does not look at. */
EXPORT void unitproof_undefined(int happens, int kind) {
  static const char *const kinds[] = {"array-bounds", "division-by-zero", "signed-overflow",
                                      "invalid-shift", "float-to-int-overflow", "invalid-builtin", "invalid-call",
                                      "unreachable"};
  if (happens)
    violated(kinds[kind], "");
}
EXPORT void unitproof_converted(int is_signed, double x, int bits) {
  double end = __builtin_ldexp(1, bits - is_signed), least = is_signed ? -end : 0;
  x = __builtin_trunc(x);
  unitproof_undefined(!(x >= least && x < end), 4);
}
EXPORT void unitproof_trap(void) { violated("unreachable", "a trap"); }

/* Functions whose address is taken, with how they are to be called. */
static struct function {
  void *p;
  uint64_t with_result, without;
} *functions;
static unsigned nfunctions;

EXPORT void unitproof_function(const char *name, void *p, uint64_t with_result, uint64_t without) {
  for (struct address *a = addresses; a; a = a->next)
    if (!strcmp(a->name, name))
      a->here = p;
  functions = realloc(functions, (nfunctions + 1) * sizeof *functions);
  functions[nfunctions].p = p;
  functions[nfunctions].with_result = with_result;
  functions[nfunctions++].without = without;
}

EXPORT void unitproof_call(void *p, uint64_t signature, int used) {
  if (p == NULL)
    violated("invalid-call", "a call of NULL");
  for (unsigned i = 0; i < nfunctions; i++)
    if (functions[i].p == p) {
      uint64_t has = used ? functions[i].with_result : functions[i].without;
      if (has && signature && has != signature)
        violated("invalid-call", "the function has another type");
      return;
    }
  violated("invalid-call", "no function is there");
}

/* sea_is_modified: writes are seen while tracking is on. */
static bool tracking;
static struct tracked {
  unsigned char *p;
  size_t size;
  bool modified;
} *tracked;
static unsigned ntracked;

/* The last blocks of alloca, which the sanitizer does not know. */
enum { ADDED = 16 };
static struct added {
  unsigned char *p;
  size_t n;
} added[ADDED];
static bool within(const struct added *a, const void *p) {
  return a->n && (const unsigned char *)p >= a->p && (const unsigned char *)p < a->p + a->n;
}
EXPORT void unitproof_added(void *p, whole n) {
  memmove(added + 1, added, sizeof added - sizeof added[0]);
  added[0] = (struct added){p, n};
}
static void locate(void *p, unsigned char **start, size_t *size) {
  struct block *b = NULL;
  for (unsigned i = 0; i < nblocks && !b; i++)
    if ((unsigned char *)p >= blocks[i].p && (unsigned char *)p <= blocks[i].p + blocks[i].size)
      b = &blocks[i];
  if (b) {
    *start = b->p, *size = b->size;
    return;
  }
  char name[1];
  void *region = NULL;
  *size = 0;
  if (__asan_locate_address)
    __asan_locate_address(p, name, sizeof name, &region, size);
  for (unsigned i = 0; i < ADDED && !region; i++)
    if (within(&added[i], p))
      region = added[i].p, *size = added[i].n;
  *start = region ? region : p;
  if (!region)
    *size = 1;
}

EXPORT size_t unitproof_object_size(void *p) {
  unsigned char *start;
  size_t size;
  if (!p)
    return 0;
  locate(p, &start, &size);
  return size;
}
EXPORT size_t unitproof_pointer_offset(void *p) {
  unsigned char *start;
  size_t size;
  if (!p)
    return 0;
  locate(p, &start, &size);
  return (size_t)((unsigned char *)p - start);
}
static struct tracked *tracked_at(void *p, bool make) {
  unsigned char *start;
  size_t size;
  locate(p, &start, &size);
  for (unsigned i = 0; i < ntracked; i++)
    if (tracked[i].p == start)
      return &tracked[i];
  if (!make)
    return NULL;
  tracked = realloc(tracked, (ntracked + 1) * sizeof *tracked);
  tracked[ntracked].p = start, tracked[ntracked].size = size, tracked[ntracked].modified = false;
  return &tracked[ntracked++];
}

EXPORT void unitproof_wrote(void *p, whole n) {
  if (!tracking || n == 0)
    return;
  tracked_at(p, true)->modified = true;
}
EXPORT bool unitproof_is_modified(void *p) {
  struct tracked *t = p ? tracked_at(p, false) : NULL;
  return t && t->modified;
}
EXPORT void unitproof_reset_modified(void *p) {
  if (p)
    tracked_at(p, true)->modified = false;
}
EXPORT void unitproof_tracking_on(void) { tracking = true; }
EXPORT void unitproof_tracking_off(void) { tracking = false; }

/* What memcpy and the like read and write. Piece by piece, for the sanitizer would look at all of a
 * huge range before it says that its second byte is out of bounds. */
WEAK void __asan_report_load_n(void *p, size_t n);
WEAK void __asan_report_store_n(void *p, size_t n);
static void range(unsigned char *p, size_t n, bool write) {
  enum { PIECE = 1 << 12 };
  if (unitproof_heap_new) { /* checks all of it before it reports */
    if (write)
      __asan_storeN(p, n);
    else
      __asan_loadN(p, n);
    return;
  }
  if (!__asan_region_is_poisoned)
    return;
  for (size_t done = 0; done < n; done += PIECE) {
    size_t some = n - done < PIECE ? n - done : PIECE;
    if ((uintptr_t)p + done >= UINT64_C(1) << 47 || (uintptr_t)p + done < 4096) {
      if (write) /* no memory: the processor says it best */
        *(volatile unsigned char *)(p + done) = 0;
      else
        *(volatile unsigned char *)(p + done);
      return;
    }
    void *bad = __asan_region_is_poisoned(p + done, some);
    if (bad && uncounted())
      leave(REJECTED);
    if (bad && write)
      __asan_report_store_n(bad, n);
    else if (bad)
      __asan_report_load_n(bad, n);
    if (write)
#if defined __x86_64__ || defined __i386__
      __asm__ volatile("lock; orb $0, %0" : "+m"(p[done])); /* a write, as the processor sees it */
#else
      ((volatile unsigned char *)p)[done] = ((volatile unsigned char *)p)[done];
#endif
    else
      *(volatile unsigned char *)(p + done);
  }
}
/* What a model says that its function reads. */
EXPORT void unitproof_reads(void *p, size_t n) { range(p, n, false); }

/* One run knows all values. */
EXPORT bool unitproof_known(unsigned long long v) { return true; }

/* It executes the loops of models, and what stands in for them nowhere. */
EXPORT bool unitproof_scans(void) { return false; }
EXPORT void unitproof_no_scan(void) { leave(REJECTED); }

/* The rounding mode, by the numbers of package language. No function of the library does it: a model has its name. */
EXPORT void unitproof_set_rounding(int *mode, int to) {
  *mode = to;
#if defined __x86_64__ || defined __i386__
  unsigned bits = (unsigned[]){0, 3, 2, 1}[to & 3] << 10, vector;
  unsigned short word;
  __asm__ volatile("fnstcw %0" : "=m"(word));
  word = (unsigned short)((word & ~0xc00u) | bits);
  __asm__ volatile("fldcw %0" : : "m"(word));
  __asm__ volatile("stmxcsr %0" : "=m"(vector));
  vector = (vector & ~0x6000u) | bits << 3;
  __asm__ volatile("ldmxcsr %0" : : "m"(vector));
#elif defined __aarch64__
  uint64_t word;
  __asm__ volatile("mrs %0, fpcr" : "=r"(word));
  word = (word & ~(UINT64_C(3) << 22)) | (uint64_t)(unsigned[]){0, 3, 1, 2}[to & 3] << 22;
  __asm__ volatile("msr fpcr, %0" : : "r"(word));
#endif
}

EXPORT void unitproof_other_conversion(void) { leave(REJECTED); } /* what it means is not known */
/* What a model says that its function copies between: to all of one range from all of another. */
EXPORT void unitproof_apart(void *to, size_t n, void *from, size_t m) {
  uintptr_t x = (uintptr_t)to, y = (uintptr_t)from;
  if (x - y < m || y - x < n)
    violated("overlapping-copy", "");
}

EXPORT void unitproof_range(void *to, void *from, whole n) {
  if (n == 0)
    return;
  if (from)
    range(from, n, false);
  range(to, n, true);
  unitproof_writes_constant(to, n);
}

EXPORT void unitproof_havoc(void *p, size_t n) {
  int site = unitproof_site;
  if (p == NULL) {
    if (source == RECORDED)
      take('c', site);
    else
      note("c %d\n", site);
    return;
  }
  range(p, n, true);
  unitproof_writes_constant(p, n);
  content(site, p, n, false);
  is_written(p, n);
}

/* ---- allocation ------------------------------------------------------------------------------------ */

/* The heap of the program. */
static void *heap_new(size_t n, size_t align, bool zeroed) {
  if (unitproof_heap_new)
    return unitproof_heap_new(n, align);
  if (align <= 16)
    return zeroed ? calloc(1, n) : malloc(n);
  void *p; /* not of aligned_alloc, which wants the size to be a multiple */
  return posix_memalign(&p, align, n) == 0 ? p : NULL;
}
static void heap_free(void *p) { /* reports what may not be freed */
  if (unitproof_heap_free)
    unitproof_heap_free(p);
  else
    free(p);
}

enum { HUGE_BLOCK = 1 << 24 }; /* of random runs */

/* What an allocation makes of the alignment that it is asked for. */
static size_t alignment(size_t a) { return a > 16 && (a & (a - 1)) == 0 ? a : 16; }

static void *allocate(size_t n, size_t align, bool refused, bool zeroed) {
  int site = unitproof_site;
  bool fails;
  unitproof_may_change_errno();
  if (source == RECORDED) {
    struct record *r = take('a', site);
    fails = r && r->text[0] == '1';
  } else {
    fails = failing && draw((unsigned)site + 7, 8) % 16 == 15;
    if (n > HUGE_BLOCK && n <= UINT64_C(1) << 47) { /* filling it takes as long as thousands of runs */
      if (!may_fail)
        leave(REJECTED);
      fails = true;
    }
    note("a %d %d\n", site, fails);
  }
  if (fails || refused || n > (UINT64_C(1) << 47) - 8192 || n > PTRDIFF_MAX || align > 1 << 30)
    return NULL;
  align = alignment(align);
  /* The library gets it from the system as zero, untouched. */
  bool clean = align <= 16 && n > (unitproof_heap_new ? 1 << 20 : FULL);
  void *p = heap_new(n, align, clean);
  if (!p) {
    if (source == RECORDED) {
      char text[96];
      snprintf(text, sizeof text, "the machine refuses an allocation of %zu bytes", n);
      report("none", text);
      _exit(DIVERGED);
    }
    leave(REJECTED);
  }
  if (n == 0 && __asan_poison_memory_region) /* the sanitizer makes it one byte */
    __asan_poison_memory_region(p, 1);
  if (zeroed) {
    if (!clean)
      wipe(p, n);
    is_written(p, n);
  } else {
    unwritten(site, p, n, clean);
    never_written(p, n);
  }
  if (nblocks == room_blocks) {
    room_blocks = room_blocks ? 2 * room_blocks : 64;
    blocks = realloc(blocks, room_blocks * sizeof *blocks);
  }
  blocks[nblocks].p = p, blocks[nblocks].size = n, blocks[nblocks].kept = blocks[nblocks].lent = false;
  blocks[nblocks++].site = site;
  made(site, p, n);
  return p;
}

/* A result that tells by errno of a failure. */
static void *told(void *p) {
  if (!p)
    set_errno(ENOMEM);
  return p;
}
EXPORT void *unitproof_malloc(size_t n) { return told(allocate(n, 16, false, false)); }
/* What is not the program's to free. */
EXPORT void *unitproof_lend(size_t n) {
  void *p = unitproof_malloc(n);
  if (p)
    block_at(p)->lent = true;
  return p;
}
EXPORT void *unitproof_calloc(size_t n, size_t m) {
  size_t bytes;
  bool over = __builtin_mul_overflow(n, m, &bytes);
  return told(allocate(bytes, 16, over, true));
}
EXPORT void *unitproof_aligned_alloc(size_t a, size_t n) { return told(allocate(n, a, false, false)); }
EXPORT void *unitproof_valloc(size_t n) { return told(allocate(n, 4096, false, false)); }
EXPORT int unitproof_posix_memalign(void **to, size_t a, size_t n) {
  bool refused = a == 0 || (a & (a - 1)) != 0 || a % sizeof(void *) != 0;
  void *p = allocate(n, a, refused, false);
  if (!p)
    return refused ? EINVAL : ENOMEM;
  if (__asan_storeN)
    __asan_storeN(to, sizeof *to);
  *to = p;
  is_written(to, sizeof *to);
  return 0;
}
EXPORT void unitproof_free(void *p) {
  struct block *b = block_at(p);
  if (b && b->lent)
    heap_free((char *)p + 1); /* reports */
  if (b)
    is_written(b->p, b->size); /* the library may use it for itself */
  forget(p);
  heap_free(p);
}
static void *reallocate(void *old, size_t n, size_t align, bool refused) {
  struct block *b = old ? block_at(old) : NULL;
  size_t had = b ? b->size : 0;
  if (old && !b)
    heap_free(old); /* reports */
  void *p = allocate(n, align, refused || (old && n == 0), false);
  if (!old || n > 0 || refused)
    told(p);
  if (p && old) {
    size_t both = had < n ? had : n;
    put(p, old, both);
    copy_state(p, old, both);
  }
  if (old && (p || (n == 0 && !refused)))
    unitproof_free(old);
  return p;
}
EXPORT void *unitproof_realloc(void *p, size_t n) { return reallocate(p, n, 16, false); }
EXPORT void *unitproof_reallocarray(void *p, size_t n, size_t m) {
  size_t bytes;
  bool over = __builtin_mul_overflow(n, m, &bytes);
  return reallocate(p, bytes, 16, over);
}
/* Rust's allocator. */
EXPORT void *unitproof_rust_alloc(size_t n, size_t a) { return allocate(n, a, false, false); }
EXPORT void *unitproof_rust_alloc_zeroed(size_t n, size_t a) { return allocate(n, a, false, true); }
EXPORT void unitproof_rust_dealloc(void *p, size_t n, size_t a) {
  (void)n, (void)a;
  unitproof_free(p);
}
EXPORT void *unitproof_rust_realloc(void *p, size_t old, size_t a, size_t n) {
  (void)old;
  return reallocate(p, n, a, false);
}
EXPORT void unitproof_capacity_error(size_t a) {
  if (a == 0)
    violated("assertion", "");
  leave(COMPLETE);
}
EXPORT void unitproof_nothing(void) {}
EXPORT void *unitproof_mempcpy(void *to, const void *from, size_t n) {
  if (__asan_memcpy)
    __asan_memcpy(to, from, n);
  else
    memcpy(to, from, n);
  return (char *)to + n;
}

/* A heap block leaks when, at the return of the entry, no variable leads to it. */
static bool leaks_wanted;
static void keep(const unsigned char *from, size_t n) {
  for (size_t i = 0; i + sizeof(void *) <= n; i++) {
    unsigned char *p;
    put(&p, from + i, sizeof p);
    for (unsigned k = 0; k < nblocks; k++)
      if (!blocks[k].kept && p >= blocks[k].p && p < blocks[k].p + (blocks[k].size ? blocks[k].size : 1)) {
        blocks[k].kept = true;
        keep(blocks[k].p, blocks[k].size);
      }
  }
}
static void check_leaks(void) {
  for (unsigned i = 0; i < nvariables; i++)
    keep(variables[i].p, variables[i].size);
  for (unsigned i = 0; i < nblocks; i++)
    if (!blocks[i].kept) {
      void *trace[30];
      int thread;
      size_t n = __asan_get_alloc_stack ? __asan_get_alloc_stack(blocks[i].p, trace, 30, &thread) : 0;
      fflush(stdout);
      fprintf(stderr, "unitproof: violation memory-leak: %zu bytes\n", blocks[i].size);
      for (size_t k = 0; k < n; k++)
        fprintf(stderr, "    #%zu %p (allocated)\n", k, (void *)((char *)trace[k] - 1));
      unitproof_violation("memory-leak");
      finish();
      _exit(VIOLATED);
    }
}

/* ---- main ------------------------------------------------------------------------------------------ */

static void finish(void) { fflush(stdout); }

/* What a run leaves behind goes. */
static void reset(void) {
  for (unsigned i = 0; i < nvariables; i++)
    put(variables[i].p, variables[i].saved, variables[i].size);
  while (nblocks)
    heap_free(blocks[--nblocks].p);
  tracking = false;
  ntracked = 0;
}

/* The time by the clock, or that of the processor for all processes of the program. */
static bool by_processor;
static double earlier; /* of other processes than this one */
static double seconds(struct timespec t) { return (double)t.tv_sec + (double)t.tv_nsec / 1e9; }
static double now(void) {
  struct timespec t;
  clock_gettime(by_processor ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
  return by_processor ? earlier + seconds(t) : seconds(t);
}
static void add_children(void) {
  struct rusage ended;
  getrusage(RUSAGE_CHILDREN, &ended);
  struct timeval a = ended.ru_utime, b = ended.ru_stime;
  earlier = (double)(a.tv_sec + b.tv_sec) + (double)(a.tv_usec + b.tv_usec) / 1e6;
}

/* Keeps the choices of a run that got somewhere new. */
static void breed(void) {
  if (!news && passed <= shared->best)
    return;
  if (passed > shared->best)
    shared->best = passed;
  struct genome *g = &shared->pool[shared->pooled < POOL ? shared->pooled++ : shared->born % POOL];
  shared->born++;
  g->length = drawn < GENES ? drawn : GENES;
  memcpy(g->gene, genes, g->length * sizeof g->gene[0]);
}

/* The processor time that a run may take, in microseconds: most take less than a thousandth of it, and one
 * that walks along a huge length would cost as much as thousands of others. */
enum { SLOW = 100000, SLOW_JUDGED = 5000 };

/* A sanitizer reports next. */
EXPORT void unitproof_reporting(void) {
  if (uncounted())
    leave(REJECTED);
}

#ifdef __x86_64__
/* Accesses of programs with unitproof_judged (replay/program.go: judgedFlags). */
static void excluded_access(uintptr_t p, size_t n) {
  if (uncounted() && __asan_region_is_poisoned((void *)p, n))
    leave(REJECTED);
}
#define ACCESS(NAME, N)                                     \
  WEAK void __asan_##NAME(uintptr_t);                       \
  EXPORT void unitproof_asan_##NAME(uintptr_t p) {          \
    if (N > 8 || ((signed char *)0x7fff8000)[p >> 3] != 0 || (p & 7) + N > 8) { \
      excluded_access(p, N);                                         \
      __asan_##NAME(p);                                     \
    }                                                       \
  }
ACCESS(load1, 1)
ACCESS(load2, 2)
ACCESS(load4, 4)
ACCESS(load8, 8)
ACCESS(load16, 16)
ACCESS(store1, 1)
ACCESS(store2, 2)
ACCESS(store4, 4)
ACCESS(store8, 8)
ACCESS(store16, 16)
EXPORT void unitproof_asan_loadN(uintptr_t p, size_t n) {
  excluded_access(p, n);
  __asan_loadN((void *)p, n);
}
EXPORT void unitproof_asan_storeN(uintptr_t p, size_t n) {
  excluded_access(p, n);
  __asan_storeN((void *)p, n);
}
WEAK void *__asan_memmove(void *, const void *, size_t);
WEAK void *__asan_memset(void *, int, size_t);
EXPORT void *unitproof_asan_memcpy(void *to, const void *from, size_t n) {
  excluded_access((uintptr_t)to, n), excluded_access((uintptr_t)from, n);
  return __asan_memcpy(to, from, n);
}
EXPORT void *unitproof_asan_memmove(void *to, const void *from, size_t n) {
  excluded_access((uintptr_t)to, n), excluded_access((uintptr_t)from, n);
  return __asan_memmove(to, from, n);
}
EXPORT void *unitproof_asan_memset(void *to, int c, size_t n) {
  excluded_access((uintptr_t)to, n);
  return __asan_memset(to, c, n);
}
#endif

/* A wild access that does not count: the sanitizer would report it, which takes a process. */
static struct sigaction sanitizers_handler;
static void wild_access(int number, siginfo_t *info, void *context) {
  if (uncounted())
    siglongjmp(again, REJECTED);
  sanitizers_handler.sa_sigaction(number, info, context);
}
static void handle_wild_accesses(void) {
  struct sigaction own = {.sa_sigaction = wild_access, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK};
  if (judged && sigaction(SIGSEGV, NULL, &sanitizers_handler) == 0 && sanitizers_handler.sa_flags & SA_SIGINFO)
    sigaction(SIGSEGV, &own, NULL);
}

static void explore(double until, uint64_t first) {
  handle_wild_accesses();
  if (!variables || !variables[0].saved)
    for (unsigned i = 0; i < nvariables; i++) {
      variables[i].saved = malloc(variables[i].size ? variables[i].size : 1);
      put(variables[i].saved, variables[i].p, variables[i].size);
    }
  for (volatile uint64_t run = first;; run++) {
    if ((run & 15) == 0 && now() > until)
      break;
    shared->run = run, shared->length = 0, shared->overflow = shared->uncounted = false;
    state = run * UINT64_C(0xD1342543DE82EF95) + 1;
    drawn = passed = recents = 0;
    news = false;
    parent = shared->pooled && next() % 4 ? &shared->pool[next() % shared->pooled] : NULL;
    change_from = parent && parent->length ? (unsigned)(next() % (parent->length + 1)) : 0;
    change_odds = 1 + (unsigned)(next() % 8);
    learning = run - first < 64 || next() % 8 == 0;
    struct itimerval limit = {.it_value = {.tv_usec = judged ? SLOW_JUDGED : SLOW}};
    setitimer(ITIMER_PROF, &limit, NULL);
    int how = sigsetjmp(again, 0);
    if (how == 0) {
      failing = may_fail && draw(49999, 8) % 2 == 1;
      for (unsigned i = 0; i < nvariables; i++)
        if (variables[i].kind) {
          size_t some = random_bytes(50000 + i, variables[i].p, variables[i].size, false);
          note("g %s 0:", variables[i].name);
          note_hex(variables[i].p, some);
          note("\n");
        }
      unitproof_entry();
      how = COMPLETE;
      if (leaks_wanted)
        check_leaks();
    }
    breed();
    shared->runs++;
    if (how == REJECTED)
      shared->rejected++;
    reset();
  }
  shared->ended = true;
}

int main(int argc, char **argv) {
  leaks_wanted = getenv("UNITPROOF_LEAKS") != NULL;
  if (argc == 3 && !strcmp(argv[1], "replay")) {
    source = RECORDED;
    load(argv[2]);
    unitproof_start();
    unitproof_entry();
    if (leaks_wanted)
      check_leaks();
    return 0;
  }
  if (argc < 5 || strcmp(argv[1], "random")) {
    fprintf(stderr, "usage: %s replay FILE | random SECONDS SEED VIOLATIONS [LETTERS]\n", argv[0]);
    return 2;
  }
  may_fail = argc > 5 && strchr(argv[5], 'A');
  by_processor = argc > 5 && strchr(argv[5], 'P');
  double until = now() + atof(argv[2]);
  uint64_t first = strtoull(argv[3], NULL, 10), violations = strtoull(argv[4], NULL, 10), met = 0;
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) {
    perror("mmap");
    return 2;
  }
  unsigned long slow = 0;
  while (now() < until) {
    fflush(stdout);
    pid_t child = fork();
    if (child < 0) {
      perror("fork");
      return 2;
    }
    if (child == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      source = RANDOM;
      if (sigsetjmp(again, 0) == 0) {
        unitproof_start();
        explore(until, first);
      }
      shared->ended = true; /* or no run gets past the constructors */
      _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    add_children();
    if (shared->ended)
      break;
    first = shared->run + 1;
    shared->runs++;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF) {
      if (++slow > 50 && !judged)
        break;
      continue;
    }
    if (shared->uncounted) {
      shared->rejected++;
      continue;
    }
    printf("violated run %llu status %d length %u complete %d\n",
           (unsigned long long)shared->run, status, shared->length, !shared->overflow);
    fwrite(shared->log, 1, shared->length, stdout);
    fprintf(stderr, "\nunitproof: end of run %llu\n", (unsigned long long)shared->run);
    if (++met >= violations)
      break;
  }
  printf("runs %llu rejected %llu slow %lu\n",
         (unsigned long long)shared->runs, (unsigned long long)shared->rejected, slow);
  return met > 0;
}

#else /* ---- the words of unitproof.h, for harnesses that you compile ----------------------------------- */

#ifndef UNITPROOF_ENTRY
#define UNITPROOF_ENTRY unitproof_entry
#endif
int UNITPROOF_ENTRY(void);

static void finish(void) {}

/* Each word has a site of its own. */
#define ND(T, NAME, SITE)            \
  WEAK T NAME(void) {                \
    T v;                             \
    uint64_t bits = draw(SITE, sizeof(T) * 8); \
    memcpy(&v, &bits, sizeof v);     \
    return v;                        \
  }
#define BOTH(T, N, SITE) ND(T, nd_##N, SITE) ND(T, nondet_##N, SITE) ND(T, __VERIFIER_nondet_##N, SITE)
WEAK bool nd_bool(void) { return draw(1, 1) != 0; }
WEAK bool nondet_bool(void) { return draw(1, 1) != 0; }
WEAK bool __VERIFIER_nondet_bool(void) { return draw(1, 1) != 0; }
BOTH(char, char, 2)
BOTH(signed char, schar, 3)
BOTH(unsigned char, uchar, 4)
BOTH(short, short, 5)
BOTH(unsigned short, ushort, 6)
BOTH(int, int, 7)
BOTH(unsigned, uint, 8)
BOTH(long, long, 9)
BOTH(unsigned long, ulong, 10)
BOTH(long long, longlong, 11)
BOTH(unsigned long long, ulonglong, 12)
BOTH(int8_t, int8_t, 13)
BOTH(uint8_t, uint8_t, 14)
BOTH(int16_t, int16_t, 15)
BOTH(uint16_t, uint16_t, 16)
BOTH(int32_t, int32_t, 17)
BOTH(uint32_t, uint32_t, 18)
BOTH(int64_t, int64_t, 19)
BOTH(uint64_t, uint64_t, 20)
BOTH(size_t, size_t, 21)
BOTH(ssize_t, ssize_t, 22)
BOTH(intptr_t, intptr_t, 23)
BOTH(uintptr_t, uintptr_t, 24)
BOTH(float, float, 25)
BOTH(double, double, 26)
/* An address in no object: above every mapping of a process. */
static void *address(void) {
  uint64_t v = draw(27, 16);
  return v % 2 ? (void *)(uintptr_t)(UINT64_C(0xF000000000000000) + 16 * v) : NULL;
}
WEAK void *nd_voidp(void) { return address(); }
WEAK void *nondet_pointer(void) { return address(); }
WEAK void *__VERIFIER_nondet_pointer(void) { return address(); }

#define ASSUME(NAME) \
  WEAK void NAME(bool c) { unitproof_assume(c); }
ASSUME(assume)
ASSUME(__SEA_assume)
WEAK void __VERIFIER_assume(int c) { unitproof_assume(c != 0); }
WEAK void __CPROVER_assume(bool c) { unitproof_assume(c); }
WEAK void klee_assume(uintptr_t c) { unitproof_assume(c != 0); }
WEAK void sassert(bool c) { unitproof_assert(c); }
WEAK void __VERIFIER_assert(int c) { unitproof_assert(c != 0); }
WEAK void __CPROVER_assert(bool c, const char *text) {
  (void)text;
  unitproof_assert(c);
}
WEAK void __CPROVER_precondition(bool c, const char *text) { __CPROVER_assert(c, text); }
WEAK void __CPROVER_postcondition(bool c, const char *text) { __CPROVER_assert(c, text); }
WEAK void __VERIFIER_error(void) { unitproof_fail(); }
WEAK void reach_error(void) { unitproof_fail(); }

WEAK void memhavoc(void *p, size_t n) {
  if (!p)
    return;
  if (n && __asan_storeN)
    __asan_storeN(p, n);
  random_bytes(28, p, n, false);
}
WEAK void klee_make_symbolic(void *p, size_t n, const char *name) {
  (void)name;
  memhavoc(p, n);
}
WEAK bool sea_is_dereferenceable(const void *p, intptr_t n) { return unitproof_dereferenceable(p, n); }
WEAK bool __CPROVER_r_ok(const void *p, size_t n) { return unitproof_dereferenceable(p, (intptr_t)n); }
WEAK bool __CPROVER_w_ok(const void *p, size_t n) { return unitproof_dereferenceable(p, (intptr_t)n); }
WEAK bool __CPROVER_rw_ok(const void *p, size_t n) { return unitproof_dereferenceable(p, (intptr_t)n); }

/* Writes cannot be seen here: nothing counts as modified, so that assertions that something was not
 * modified hold. unitproof itself checks them. */
WEAK bool sea_is_modified(char *p) { return (void)p, false; }
WEAK void sea_reset_modified(char *p) { (void)p; }
WEAK void sea_tracking_on(void) {}
WEAK void sea_tracking_off(void) {}

EXPORT int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  source = BYTES;
  fuzz_data = data, fuzz_left = size;
  if (sigsetjmp(again, 0) == 0)
    UNITPROOF_ENTRY();
  return 0;
}

#ifdef UNITPROOF_MAIN
#undef main
int main(int argc, char **argv) {
  double seconds = argc > 1 ? atof(argv[1]) : 1;
  volatile uint64_t run = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
  static unsigned long long runs, rejected;
  struct timespec start, t;
  clock_gettime(CLOCK_MONOTONIC, &start);
  shared = calloc(1, sizeof *shared);
  if (!shared)
    return 2;
  shared->overflow = true; /* nobody reads the log */
  for (source = RANDOM;; run++, runs++) {
    clock_gettime(CLOCK_MONOTONIC, &t);
    if ((double)(t.tv_sec - start.tv_sec) + (double)(t.tv_nsec - start.tv_nsec) / 1e9 > seconds)
      break;
    state = run * UINT64_C(0xD1342543DE82EF95) + 1;
    drawn = recents = 0;
    int how = sigsetjmp(again, 0);
    if (how == 0)
      UNITPROOF_ENTRY();
    else if (how == REJECTED)
      rejected++;
  }
  printf("runs %llu rejected %llu\n", runs, rejected);
  return 0;
}
#endif
#endif
