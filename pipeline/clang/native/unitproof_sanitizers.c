/*
 * unitproof_sanitizers.c: the runtime of AddressSanitizer and UndefinedBehaviorSanitizer for programs that an emulator
 * runs (qemu-user).
 *
 * The compilers' own runtimes exist for few machines, and some of them need more of the machine than the emulator has:
 * a shadow memory of terabytes, or other addresses. This one needs a C library only. Clang instruments the program as
 * for its own runtime, with three differences (replay/machine.go):
 *
 *   - Each access calls a function here, which compares the address with the memory of the program first. So a wild
 *     access is reported before it is executed, and no handler of signals has to find its place.
 *   - The shadow memory is at SHADOW_OFFSET, and mapped only for the memory that the program has: its file, its stack,
 *     and the blocks of this heap.
 *   - Frames that have returned are kept on this heap.
 *
 * Reports have the words of the compilers' runtimes, so that one parser reads both (replay/report.go).
 *
 * A byte of the shadow memory describes eight bytes of the program: 0 if all may be accessed, 1 to 7 if only so many of
 * the first, and one of the kinds below if none.
 */
#define _GNU_SOURCE
#include <link.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ucontext.h>
#include <unistd.h>
#include <unwind.h>

#define EXPORT __attribute__((used, visibility("default")))

enum { ASAN_EXIT = 98, UBSAN_EXIT = 97 }; /* of replay/execute.go */

/* Kinds of inaccessible memory, as AddressSanitizer has them. */
enum {
  STACK_LEFT = 0xf1, STACK_MIDDLE = 0xf2, STACK_RIGHT = 0xf3, STACK_RETURNED = 0xf5, STACK_SCOPE = 0xf8,
  GLOBAL = 0xf9, HEAP = 0xfa, HEAP_FREED = 0xfd, BY_USER = 0xf7, ALLOCA_LEFT = 0xca, ALLOCA_RIGHT = 0xcb
};

/* ---- reports ------------------------------------------------------------------------------------ */

void unitproof_violation(const char *kind);

struct trace {
  uintptr_t pcs[64];
  int n;
};
static _Unwind_Reason_Code enter(struct _Unwind_Context *c, void *to) {
  struct trace *t = to;
  uintptr_t pc = _Unwind_GetIP(c);
#ifdef __arm__
  pc &= ~(uintptr_t)1;
#endif
  if (!pc || t->n == 64)
    return _URC_END_OF_STACK;
  t->pcs[t->n++] = pc - 1; /* the call, not its return */
  return _URC_NO_REASON;
}
static void print_stack(void) {
  struct trace t = {.n = 0};
  _Unwind_Backtrace(enter, &t);
  for (int i = 0; i < t.n; i++)
    fprintf(stderr, "    #%d 0x%lx in program\n", i, (unsigned long)t.pcs[i]);
}
EXPORT void __sanitizer_print_stack_trace(void) { print_stack(); }

enum access { NONE, READ, WRITE };
static const char *const words[] = {"", "READ", "WRITE"};

static __attribute__((noreturn)) void die(void) {
  print_stack();
  unitproof_violation("");
  fflush(stderr);
  _exit(ASAN_EXIT);
}

static __attribute__((noreturn)) void bad(const char *what, uintptr_t a, size_t n, enum access access) {
  fflush(stdout);
  fprintf(stderr, "==1==ERROR: AddressSanitizer: %s on address 0x%lx\n", what, (unsigned long)a);
  if (access)
    fprintf(stderr, "%s of size %zu at 0x%lx\n", words[access], n, (unsigned long)a);
  die();
}

/* An access outside of all memory of the program, or a write to constant memory. */
static __attribute__((noreturn)) void wild(uintptr_t a, enum access access) {
  fflush(stdout);
  fprintf(stderr, "==1==ERROR: AddressSanitizer: SEGV on unknown address 0x%lx\n", (unsigned long)a);
  if (access)
    fprintf(stderr, "The signal is caused by a %s memory access.\n", words[access]);
  die();
}

/* ---- the program's memory -------------------------------------------------------------------------- */

/* SHADOW_OFFSET is that of replay/machine.go. The heap is behind what the emulator maps by itself. */
#if UINTPTR_MAX > 0xffffffff
#define SHADOW_OFFSET UINT64_C(0x1100000000)
#define HEAP_START UINT64_C(0x6000000000)
#define HEAP_END UINT64_C(0x6400000000)
#else
#define SHADOW_OFFSET 0x20000000u
#define HEAP_START 0x50000000u
#define HEAP_END 0xb0000000u
#endif
enum { GRANULE = 8, REDZONE = 512, PAGE = 1 << 16, STACK = 8 << 20 };

struct part {
  uintptr_t start, end;
};
static struct part image, stack, heap = {HEAP_START, HEAP_START}; /* heap.end is the end of its used part */
static struct part constant[8];
static unsigned constants;
static bool ready;

static uint8_t *shadow(uintptr_t a) { return (uint8_t *)((a >> 3) + SHADOW_OFFSET); }

static bool within(const struct part *p, uintptr_t a) { return p->start <= a && a < p->end; }
static bool mapped(uintptr_t a) { return within(&image, a) || within(&heap, a) || within(&stack, a); }

static bool map(uintptr_t start, uintptr_t end) {
  start &= -(uintptr_t)PAGE, end = (end + PAGE - 1) & -(uintptr_t)PAGE;
  void *p = mmap((void *)start, end - start, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
  return p == (void *)start;
}
static void map_shadow(const struct part *p) {
  if (!map((uintptr_t)shadow(p->start), (uintptr_t)shadow(p->end) + 1)) {
    fprintf(stderr, "unitproof: no shadow memory for 0x%lx\n", (unsigned long)p->start);
    _exit(2);
  }
}

extern char __executable_start[], _end[];

/* The parts of the program's file that may not be written. */
static int segment(struct dl_phdr_info *info, size_t size, void *unused) {
  (void)size, (void)unused;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *h = &info->dlpi_phdr[i];
    uintptr_t start = info->dlpi_addr + h->p_vaddr;
    if (h->p_type == PT_LOAD && !(h->p_flags & PF_W) && within(&image, start) &&
        constants < sizeof constant / sizeof *constant)
      constant[constants++] = (struct part){start, start + h->p_memsz};
  }
  return 0;
}

static void on_signal(int number, siginfo_t *info, void *context) {
  (void)context;
  const char *name = number == SIGFPE ? "FPE" : number == SIGILL ? "ILL" : number == SIGBUS ? "BUS" : "SEGV";
  uintptr_t a = (uintptr_t)info->si_addr;
  fprintf(stderr, "==1==ERROR: AddressSanitizer: %s on unknown address 0x%lx\n", name, (unsigned long)a);
  if (a < stack.start && a + (1 << 20) > stack.start)
    fprintf(stderr, "unitproof: the stack is full\n");
  die();
}

EXPORT void __asan_init(void) {
  if (ready)
    return;
  ready = true;
  image.start = (uintptr_t)__executable_start, image.end = (uintptr_t)sbrk(0); /* with thread-local variables */
  if (image.end < (uintptr_t)_end)
    image.end = (uintptr_t)_end;
  stack.end = ((uintptr_t)__builtin_frame_address(0) & -(uintptr_t)PAGE) + 2 * PAGE;
  stack.start = stack.end - STACK;
  map_shadow(&image);
  map_shadow(&stack);
  dl_iterate_phdr(segment, NULL);
  static char other[1 << 16];
  stack_t on = {.ss_sp = other, .ss_size = sizeof other};
  sigaltstack(&on, NULL);
  struct sigaction act = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESETHAND};
  int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
  for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
    sigaction(numbers[i], &act, NULL);
}
EXPORT void __asan_version_mismatch_check_v8(void) {}
EXPORT void __asan_before_dynamic_init(const char *module) { (void)module; }
EXPORT void __asan_after_dynamic_init(void) {}

/* Makes n bytes at a, which is a multiple of GRANULE, inaccessible. */
static void poison(uintptr_t a, size_t n, int kind) { memset(shadow(a), kind, (n + GRANULE - 1) / GRANULE); }
static void unpoison(uintptr_t a, size_t n) {
  memset(shadow(a), 0, n / GRANULE);
  if (n % GRANULE)
    *shadow(a + n) = (uint8_t)(n % GRANULE);
}

/* Returns the first inaccessible byte of n at a, or 0. The address 0 is never asked for with n > 0 and accessible. */
static uintptr_t poisoned(uintptr_t a, size_t n) {
  for (uintptr_t i = a, end = a + n; i < end;) {
    if (!mapped(i))
      return i;
    uint8_t s = *shadow(i);
    if (s && (s >= GRANULE || i % GRANULE >= s))
      return i;
    uintptr_t next = (i | (GRANULE - 1)) + 1;
    if (s && next < end)
      return (i & -(uintptr_t)GRANULE) + s;
    if (s && end - (i & -(uintptr_t)GRANULE) > s)
      return (i & -(uintptr_t)GRANULE) + s;
    i = next;
  }
  return 0;
}

static __attribute__((noreturn)) void refuse(uintptr_t at, uintptr_t a, size_t n, enum access access) {
  if (!mapped(at))
    wild(at, access);
  uint8_t s = *shadow(at);
  if (s < GRANULE && mapped(at + GRANULE)) /* the bytes behind it have the kind */
    s = shadow(at)[1];
  const char *what = "unknown-crash";
  switch (s) {
  case STACK_LEFT: what = "stack-buffer-underflow"; break;
  case STACK_MIDDLE: case STACK_RIGHT: what = "stack-buffer-overflow"; break;
  case STACK_RETURNED: what = "stack-use-after-return"; break;
  case STACK_SCOPE: what = "stack-use-after-scope"; break;
  case GLOBAL: what = "global-buffer-overflow"; break;
  case HEAP: what = "heap-buffer-overflow"; break;
  case HEAP_FREED: what = "heap-use-after-free"; break;
  case BY_USER: what = "use-after-poison"; break;
  case ALLOCA_LEFT: case ALLOCA_RIGHT: what = "dynamic-stack-buffer-overflow"; break;
  }
  bad(what, a, n, access);
}

static void check(uintptr_t a, size_t n, enum access access) {
  if (!n)
    return;
  if (a + n < a)
    wild(a, access);
  uintptr_t at = poisoned(a, n);
  if (at || !a)
    refuse(at, a, n, access);
  for (unsigned i = 0; access == WRITE && i < constants; i++)
    if (a < constant[i].end && constant[i].start < a + n)
      wild(a, WRITE);
}

#define ACCESS(n) \
  EXPORT void __asan_load##n(uintptr_t a) { check(a, n, READ); } \
  EXPORT void __asan_store##n(uintptr_t a) { check(a, n, WRITE); }
ACCESS(1) ACCESS(2) ACCESS(4) ACCESS(8) ACCESS(16)
EXPORT void __asan_loadN(uintptr_t a, size_t n) { check(a, n, READ); }
EXPORT void __asan_storeN(uintptr_t a, size_t n) { check(a, n, WRITE); }
EXPORT void __asan_report_load_n(uintptr_t a, size_t n) { refuse(a, a, n, READ); }
EXPORT void __asan_report_store_n(uintptr_t a, size_t n) { refuse(a, a, n, WRITE); }

EXPORT void *__asan_region_is_poisoned(void *p, size_t n) {
  uintptr_t a = (uintptr_t)p;
  if (!n)
    return NULL;
  return a + n < a ? p : (void *)poisoned(a, n);
}
EXPORT int __asan_address_is_poisoned(const volatile void *p) { return poisoned((uintptr_t)p, 1) != 0; }
EXPORT void __asan_poison_memory_region(const volatile void *p, size_t n) {
  uintptr_t a = (uintptr_t)p;
  if (n && mapped(a))
    poison(a, n, BY_USER);
}

/* ---- copies ------------------------------------------------------------------------------------- */

static void copy(char *to, const char *from, size_t n) {
  if (to <= from)
    for (size_t i = 0; i < n; i++)
      to[i] = from[i];
  else
    for (size_t i = n; i-- > 0;)
      to[i] = from[i];
}
EXPORT void *__asan_memmove(void *to, const void *from, size_t n) {
  check((uintptr_t)from, n, READ);
  check((uintptr_t)to, n, WRITE);
  copy(to, from, n);
  return to;
}
EXPORT void *__asan_memcpy(void *to, const void *from, size_t n) {
  uintptr_t t = (uintptr_t)to, f = (uintptr_t)from;
  if (t != f && (t - f < n || f - t < n))
    bad("memcpy-param-overlap: the ranges overlap", t, n, NONE);
  return __asan_memmove(to, from, n);
}
EXPORT void *__asan_memset(void *to, int c, size_t n) {
  check((uintptr_t)to, n, WRITE);
  for (size_t i = 0; i < n; i++)
    ((volatile char *)to)[i] = (char)c;
  return to;
}

/* ---- heap --------------------------------------------------------------------------------------- */

/* A block of the program with inaccessible memory on both sides. The begin of the left side is the description, and the
 * bytes before the block are its address. Blocks that were freed wait in a queue before they are used again. */
struct chunk {
  uint32_t magic;
  bool live;
  uint8_t class; /* the logarithm of room; LARGE: never used again */
  size_t room, size;
  uintptr_t block;
  struct chunk *next;
  struct trace *made; /* for leaks */
};
enum { MAGIC = 0x756e6974, LARGE = 20, KEPT = 64 << 20 };
static struct chunk *spare[LARGE + 1];
static struct chunk *oldest, *youngest;
static size_t waiting;

static struct chunk *chunk_of(uintptr_t block) {
  if (block % 16 || !within(&heap, block) || !within(&heap, block - 16) || *shadow(block - 16) != HEAP)
    return NULL;
  struct chunk *c = *(struct chunk **)(block - 16);
  if (!within(&heap, (uintptr_t)c) || (uintptr_t)c % 16 || c->magic != MAGIC || c->block != block)
    return NULL;
  return c;
}

static struct chunk *fresh(size_t room) {
  if (room > HEAP_END - heap.end)
    return NULL;
  static struct part done = {HEAP_START, HEAP_START}; /* what is mapped */
  uintptr_t start = heap.end;
  if (start + room > done.end) {
    uintptr_t end = start + (room > 1 << 20 ? room : 1 << 20);
    end = (end + PAGE * GRANULE - 1) & -(uintptr_t)(PAGE * GRANULE); /* whole pages of the shadow memory */
    if (end > HEAP_END || !map(done.end, end) || !map((uintptr_t)shadow(done.end), (uintptr_t)shadow(end)))
      return NULL;
    done.end = end;
  }
  heap.end += room;
  return (struct chunk *)start;
}

/* The heap of the program, in unitproof_run.c. A block of more than 1 MB is zero. */
EXPORT void *unitproof_heap_new(size_t n, size_t align) {
  if (align < 16)
    align = 16;
  if (n > HEAP_END - HEAP_START || align > HEAP_END - HEAP_START)
    return NULL;
  size_t room = (n + 15 & ~(size_t)15) + 2 * REDZONE + (align > REDZONE ? align : 0);
  int class = 11;
  while (class < LARGE && (size_t)1 << class < room)
    class++;
  if (class < LARGE)
    room = (size_t)1 << class;
  struct chunk *c = spare[class];
  if (c && class < LARGE)
    spare[class] = c->next;
  else if (!(c = fresh(room)))
    return NULL;
  uintptr_t block = ((uintptr_t)c + REDZONE + align - 1) & -(uintptr_t)align;
  *c = (struct chunk){MAGIC, true, (uint8_t)class, room, n, block, NULL, NULL};
  poison((uintptr_t)c, room, HEAP);
  unpoison(block, n);
  *(struct chunk **)(block - 16) = c;
  if (getenv("UNITPROOF_LEAKS")) {
    c->made = calloc(1, sizeof *c->made);
    _Unwind_Backtrace(enter, c->made);
  }
  return (void *)block;
}

EXPORT void unitproof_heap_free(void *p) {
  if (!p)
    return;
  uintptr_t block = (uintptr_t)p;
  struct chunk *c = chunk_of(block);
  if (!c || !c->live) {
    fflush(stdout);
    fprintf(stderr, "==1==ERROR: AddressSanitizer: attempting %s on 0x%lx\n",
            c ? "double-free" : "free on address which was not malloc()-ed", (unsigned long)block);
    die();
  }
  c->live = false, c->next = NULL;
  free(c->made);
  c->made = NULL;
  poison(block, c->size, HEAP_FREED);
  if (c->class == LARGE)
    return;
  if (youngest)
    youngest->next = c;
  else
    oldest = c;
  youngest = c;
  waiting += c->room;
  while (waiting > KEPT) {
    c = oldest;
    oldest = c->next;
    waiting -= c->room;
    c->next = spare[c->class];
    spare[c->class] = c;
  }
}

EXPORT size_t __asan_get_alloc_stack(void *p, void **to, size_t n, int *thread) {
  struct chunk *c = chunk_of((uintptr_t)p);
  *thread = 0;
  size_t i = 0;
  for (; c && c->made && i < (size_t)c->made->n && i < n; i++)
    to[i] = (void *)(c->made->pcs[i] + 1);
  return i;
}

/* ---- variables ----------------------------------------------------------------------------------- */

struct global {
  uintptr_t start;
  size_t size, with_redzone;
  const char *name, *module;
  uintptr_t has_dynamic_init, location, odr;
};
static struct globals {
  const struct global *list;
  size_t n;
  struct globals *next;
} *globals;

EXPORT void __asan_register_globals(const struct global *list, size_t n) {
  __asan_init();
  struct globals *g = malloc(sizeof *g);
  *g = (struct globals){list, n, globals};
  globals = g;
  for (size_t i = 0; i < n; i++) {
    poison(list[i].start, list[i].with_redzone, GLOBAL);
    unpoison(list[i].start, list[i].size);
  }
}
EXPORT void __asan_unregister_globals(const struct global *list, size_t n) { (void)list, (void)n; }
EXPORT void __asan_register_elf_globals(uintptr_t *flag, const struct global *start, const struct global *stop) {
  if (!*flag && start != stop)
    __asan_register_globals(start, (size_t)(stop - start));
  *flag = 1;
}
EXPORT void __asan_unregister_elf_globals(uintptr_t *flag, void *start, void *stop) {
  (void)flag, (void)start, (void)stop;
}

static const struct global *global_at(uintptr_t a) {
  for (const struct globals *g = globals; g; g = g->next)
    for (size_t i = 0; i < g->n; i++)
      if (g->list[i].start <= a && a <= g->list[i].start + g->list[i].size)
        return &g->list[i];
  return NULL;
}

EXPORT void __asan_poison_stack_memory(uintptr_t a, size_t n) { poison(a, n, STACK_SCOPE); }
EXPORT void __asan_unpoison_stack_memory(uintptr_t a, size_t n) { unpoison(a, n); }
#define SET(kind) \
  EXPORT void __asan_set_shadow_##kind(uint8_t *p, size_t n) { memset(p, 0x##kind, n); }
SET(00) SET(01) SET(02) SET(03) SET(04) SET(05) SET(06) SET(07) SET(f1) SET(f2) SET(f3) SET(f5) SET(f8)

/* The stack is given back by a jump. */
EXPORT void __asan_handle_no_return(void) {
  uintptr_t here = (uintptr_t)__builtin_frame_address(0) & -(uintptr_t)GRANULE;
  if (within(&stack, here))
    memset(shadow(here), 0, (stack.end - here) / GRANULE);
}

EXPORT void __asan_alloca_poison(uintptr_t a, size_t n) {
  enum { SIDE = 32 };
  uintptr_t end = (a + n + SIDE - 1) & -(uintptr_t)SIDE;
  poison(a - SIDE, SIDE, ALLOCA_LEFT);
  poison((a + n + GRANULE - 1) & -(uintptr_t)GRANULE, end + SIDE - (a + n), ALLOCA_RIGHT);
  unpoison(a, n);
}
EXPORT void __asan_allocas_unpoison(uintptr_t top, uintptr_t bottom) {
  if (top && top <= bottom)
    memset(shadow(top), 0, (bottom - top) / GRANULE);
}

/* Frames, by the logarithm of their size: 64 bytes and more. One that returned stays inaccessible until the others of
 * its size were used: a ring. The last word of a frame is the address of a byte, which is 0 after its return. For small
 * frames clang writes that byte itself, and makes the frames inaccessible. */
enum { FRAMES = 11, FRAMES_KEPT = 4 << 20 };
static struct frames {
  struct frame {
    uint8_t used;
    uintptr_t start;
    struct frame *next;
  } *last;
  size_t count;
} frames[FRAMES];

static uintptr_t frame_new(unsigned class, size_t n) {
  size_t room = (size_t)64 << class;
  struct frames *all = &frames[class];
  struct frame *f = all->last ? all->last->next : NULL;
  if (!f || f->used || all->count * room < FRAMES_KEPT) {
    uintptr_t start = (uintptr_t)fresh(room);
    if (!start)
      return 0; /* on the stack */
    f = malloc(sizeof *f);
    f->start = start, all->count++;
    if (all->last)
      f->next = all->last->next, all->last->next = f;
    else
      f->next = f;
  }
  all->last = f;
  f->used = 1;
  memset(shadow(f->start), 0, room / GRANULE);
  *(uint8_t **)(f->start + room - sizeof(uint8_t *)) = &f->used;
  (void)n;
  return f->start;
}
static void frame_free(unsigned class, uintptr_t a) {
  size_t room = (size_t)64 << class;
  if (!within(&heap, a))
    return;
  poison(a, room, STACK_RETURNED);
  **(uint8_t **)(a + room - sizeof(uint8_t *)) = 0;
}
#define FRAME(k) \
  EXPORT uintptr_t __asan_stack_malloc_##k(size_t n) { return frame_new(k, n); } \
  EXPORT uintptr_t __asan_stack_malloc_always_##k(size_t n) { return frame_new(k, n); } \
  EXPORT void __asan_stack_free_##k(uintptr_t a, size_t n) { (void)n, frame_free(k, a); }
FRAME(0) FRAME(1) FRAME(2) FRAME(3) FRAME(4) FRAME(5) FRAME(6) FRAME(7) FRAME(8) FRAME(9) FRAME(10)
EXPORT int __asan_option_detect_stack_use_after_return = 1;

/* Finds the variable of a frame at an address. A frame begins with a number and a description of its variables:
 * "COUNT OFFSET SIZE LENGTH NAME ...". */
static bool local_at(uintptr_t a, struct part *found) {
  uintptr_t at = a & -(uintptr_t)GRANULE;
  const struct part *in = within(&stack, a) ? &stack : &heap;
  while (within(in, at) && *shadow(at) != STACK_LEFT)
    at -= GRANULE;
  while (within(in, at) && *shadow(at) == STACK_LEFT)
    at -= GRANULE;
  at += GRANULE;
  const uintptr_t *head = (const uintptr_t *)at;
  if (!within(in, at) || head[0] != 0x41B58AB3)
    return false;
  char *text = (char *)head[1];
  for (unsigned long n = strtoul(text, &text, 10); n; n--) {
    uintptr_t start = at + strtoul(text, &text, 10);
    size_t size = strtoul(text, &text, 10), length = strtoul(text, &text, 10);
    text += 1 + length;
    if (start <= a && a <= start + size) {
      *found = (struct part){start, start + size};
      return true;
    }
  }
  return false;
}

/* The object that an address belongs to; also one past its end. */
static bool object_at(uintptr_t a, struct part *found) {
  const struct global *g;
  if (within(&image, a) && (g = global_at(a))) {
    *found = (struct part){g->start, g->start + g->size};
    return true;
  }
  if (!within(&heap, a) && !within(&stack, a))
    return false;
  for (uintptr_t at = a & -(uintptr_t)16; within(&heap, at) && a - at <= 1 << 26; at -= 16) {
    uint8_t s = *shadow(at);
    struct chunk *c = chunk_of(at);
    if (c && a <= at + c->size) {
      *found = (struct part){at, at + c->size};
      return true;
    }
    if (c || s == STACK_LEFT || s == STACK_RETURNED)
      break;
  }
  return local_at(a, found);
}

EXPORT const char *__asan_locate_address(void *p, char *name, size_t room, void **start, size_t *size) {
  struct part found;
  if (room)
    *name = 0;
  *start = NULL, *size = 0;
  if (!object_at((uintptr_t)p, &found))
    return "";
  *start = (void *)found.start, *size = found.end - found.start;
  return "object";
}

/* Comparisons and differences of pointers. */
static void pair(uintptr_t a, uintptr_t b) {
  static int wanted = -1;
  if (wanted < 0) {
    const char *options = getenv("ASAN_OPTIONS");
    wanted = options && strstr(options, "detect_invalid_pointer_pairs=2");
  }
  struct part x = {0, 0}, y = {0, 0};
  if (!wanted || a == b)
    return;
  bool first = object_at(a, &x), second = object_at(b, &y);
  if (first != second || first && x.start != y.start || !first)
    bad("invalid-pointer-pair", a, 1, NONE);
}
EXPORT void __sanitizer_ptr_cmp(uintptr_t a, uintptr_t b) { pair(a, b); }
EXPORT void __sanitizer_ptr_sub(uintptr_t a, uintptr_t b) { pair(a, b); }

/* ---- undefined behaviour ------------------------------------------------------------------------ */

/* What clang passes to each function begins with the place; that of an operation continues with the types. */
struct type {
  uint16_t kind, info; /* info: 1 if signed, and twice the logarithm of the bits */
  char name[]; /* in quotation marks */
};
struct place {
  const char *file;
  uint32_t line, column;
};
struct data {
  struct place place;
  const struct type *type, *other;
};

/* A number that is not wider than an address is passed as it is, and any other one by its address. */
static bool negative(const struct type *t, uintptr_t v, uint64_t *magnitude) {
  unsigned bits = 1u << (t->info >> 1), bytes = bits / 8;
  const unsigned char *p = (const unsigned char *)v;
  unsigned char inside[sizeof v];
  if (bits <= 8 * sizeof v) {
    for (unsigned i = 0; i < sizeof v; i++)
      inside[i] = (unsigned char)(v >> 8 * i);
    p = inside;
  }
  bool little = p == inside || *(const unsigned char *)&(uint16_t){1};
  uint64_t low = 0;
  bool high = false;
  for (unsigned i = 0; i < bytes; i++) {
    uint64_t b = p[little ? i : bytes - 1 - i];
    if (i < 8)
      low |= b << 8 * i;
    else
      high |= b != 0;
  }
  *magnitude = high ? UINT64_MAX : low;
  if (!bytes)
    *magnitude = low = v & ((1u << bits) - 1);
  unsigned top = bytes ? p[little ? bytes - 1 : 0] : 0;
  return (t->info & 1) && top >> 7;
}

static void undefined(struct place *at, bool ends, const char *what, const struct type *type, const char *name) {
  if (at->column == UINT32_MAX)
    return; /* it was reported */
  fflush(stdout);
  fprintf(stderr, "%s:%u:%u: runtime error: %s%s%s\n", at->file, (unsigned)at->line, (unsigned)at->column, what,
          type ? " type " : "", type ? type->name : "");
  print_stack();
  fprintf(stderr, "SUMMARY: UndefinedBehaviorSanitizer: %s\n", name);
  unitproof_violation("");
  fflush(stderr);
  if (ends)
    _exit(UBSAN_EXIT);
  at->column = UINT32_MAX;
}

#define HANDLER(name, parameters, ...) \
  EXPORT void __ubsan_handle_##name parameters { name##_handler(__VA_ARGS__, false); } \
  EXPORT void __ubsan_handle_##name##_abort parameters { name##_handler(__VA_ARGS__, true); }

static void overflow(struct data *d, const char *word, bool ends) {
  bool is_signed = d->type->info & 1;
  char what[80];
  snprintf(what, sizeof what, "%ssigned integer overflow: %s in", is_signed ? "" : "un", word);
  undefined(&d->place, ends, what, d->type, is_signed ? "signed-integer-overflow" : "unsigned-integer-overflow");
}
static void add_overflow_handler(struct data *d, bool ends) { overflow(d, "addition", ends); }
static void sub_overflow_handler(struct data *d, bool ends) { overflow(d, "subtraction", ends); }
static void mul_overflow_handler(struct data *d, bool ends) { overflow(d, "multiplication", ends); }
static void negate_overflow_handler(struct data *d, bool ends) { overflow(d, "negation", ends); }
static void divrem_overflow_handler(struct data *d, uintptr_t right, bool ends) {
  uint64_t n;
  if (!negative(d->type, right, &n) && n == 0)
    undefined(&d->place, ends, "division by zero", NULL, "integer-divide-by-zero");
  else
    undefined(&d->place, ends, "division of the least number by -1 cannot be represented in", d->type,
              "signed-integer-overflow");
}
static void shift_out_of_bounds_handler(struct data *d, uintptr_t right, bool ends) {
  uint64_t n;
  bool below = negative(d->other, right, &n);
  if (below || n >= (uint64_t)1 << (d->type->info >> 1))
    undefined(&d->place, ends, "shift exponent is negative or too large", NULL, "invalid-shift-exponent");
  else
    undefined(&d->place, ends, "left shift of a number that cannot be represented in", d->type, "invalid-shift-base");
}
static void out_of_bounds_handler(struct data *d, bool ends) {
  undefined(&d->place, ends, "index out of bounds for", d->type, "out-of-bounds-index");
}
static void vla_bound_not_positive_handler(struct data *d, bool ends) {
  undefined(&d->place, ends, "variable length array bound is not positive", NULL, "non-positive-vla-index");
}
static void float_cast_overflow_handler(struct data *d, bool ends) {
  undefined(&d->place, ends, "a number is outside the range of representable values", NULL, "float-cast-overflow");
}
static void invalid_builtin_handler(struct data *d, bool ends) {
  undefined(&d->place, ends, "passing zero to a builtin", NULL, "invalid-builtin-use");
}
HANDLER(add_overflow, (struct data *d, uintptr_t x, uintptr_t y), d)
HANDLER(sub_overflow, (struct data *d, uintptr_t x, uintptr_t y), d)
HANDLER(mul_overflow, (struct data *d, uintptr_t x, uintptr_t y), d)
HANDLER(negate_overflow, (struct data *d, uintptr_t x), d)
HANDLER(divrem_overflow, (struct data *d, uintptr_t x, uintptr_t y), d, y)
HANDLER(shift_out_of_bounds, (struct data *d, uintptr_t x, uintptr_t y), d, y)
HANDLER(out_of_bounds, (struct data *d, uintptr_t i), d)
HANDLER(vla_bound_not_positive, (struct data *d, uintptr_t n), d)
HANDLER(float_cast_overflow, (struct data *d, uintptr_t x), d)
HANDLER(invalid_builtin, (struct data *d), d)
EXPORT void __ubsan_handle_builtin_unreachable(struct data *d) {
  undefined(&d->place, true, "execution reached an unreachable program point", NULL, "unreachable-call");
}
EXPORT void __ubsan_handle_missing_return(struct data *d) {
  undefined(&d->place, true, "execution reached the end of a function without a result", NULL, "missing-return");
}
