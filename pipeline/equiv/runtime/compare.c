/*
 * The runtime of comparisons (package equiv): one state, two runs, and what is compared.
 *
 * compare__phase: 0 while the state is built, 1 in the version before, 2 in the version after. Memory of the state and
 * memory that the version before allocates are blocks. After the first run their content is kept, and restored to what
 * it was before; the second run gets the same objects, so pointers of both runs are comparable.
 *
 * The texts of assertions are data: package equiv has them. "soft" ones may fail without a difference.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unitproof.h>

void *malloc(size_t);
void free(void *);
void abort(void) __attribute__((noreturn));
void *memcpy(void *, const void *, size_t);
void *memset(void *, int, size_t);
void __CPROVER_assert(bool, const char *);
size_t __CPROVER_OBJECT_SIZE(const void *);
size_t __CPROVER_POINTER_OFFSET(const void *);
/* 1: byte i of a block of a kind is padding; 4 and 8: it is part of a floating-point number; else 0. */
int compare__padding(int kind, size_t i);
void compare__second(void);

/*
 * Executions compare everything, and record more. Formulas compare one arbitrary byte, and each record enlarges them.
 * If a "soft" comparison fails, an execution goes on (SOFT), or ends if the rest depends on it (UNSURE).
 */
#ifdef EXECUTED
enum { BLOCKS = 64, ALLOCATIONS = 32, CALLS = 64, ARGUMENTS = 8 };
#define CAPACITY(fits, text) assume(fits)
#define SOFT(equal, text) ((void)0)
#define UNSURE(equal, text) assume(equal)
#define EACH(i, n) for (size_t i = 0; i < (n); i++)
#define EACH_BYTE(i, a, b, n) for (size_t i = unequal(a, b, 0, n); i < (n); i = unequal(a, b, i + 1, n))
#define FIRST(count, all) (count)
/* Native runs: 0 while a violation only excludes the inputs. */
int unitproof_judged;
#else
enum { BLOCKS = 24, ALLOCATIONS = 8, CALLS = 12, ARGUMENTS = 8 };
#define CAPACITY(fits, text) __CPROVER_assert(fits, text)
#define SOFT(equal, text) __CPROVER_assert(equal, text)
#define UNSURE(equal, text) SOFT(equal, text)
#define FIRST(count, all) (all)
#define EACH(i, n)        \
  size_t i = nd_size_t(); \
  if (i < (n))
#define EACH_BYTE(i, a, b, n) EACH(i, n)
#endif

static int compare__phase;

struct block {
  unsigned char *at;
  size_t size;
  int kind;
  bool freed_before, freed_after, taken;
  unsigned char *start, *end; /* its content before the runs, and after the first one */
};
static struct block blocks[BLOCKS], allocations[ALLOCATIONS];
static unsigned block_count, allocation_count;

struct argument {
  uint64_t value;
  const void *pointer;
  bool known; /* pointer leads to a block */
  size_t size, offset;
  unsigned char *content, *written; /* of the pointer's object, before and after the call */
  size_t advance;
};
struct call {
  int function;
  uint64_t result, second;
  double number;
  void *address;
  struct argument arguments[ARGUMENTS];
};
static struct call calls[CALLS], building;
/* A variable of the program when a function without a body is called, and when it returns. */
struct seen {
  unsigned char *content, *written;
};
static unsigned calls_before, calls_after;
static int ended_before, ended_after; /* the function that ended the program; 0: the version returned */

/* Library functions may change errno. The runtime's own calls, and allocation, do not. */
#ifdef HAS_ERRNO
extern int __unitproof_errno;
#else
static int __unitproof_errno;
#endif
static int errno_start, errno_before;

/* Reports whether both blocks have a NaN that contains the byte at offset: its bits are arbitrary. */
static bool both_nan(const unsigned char *a, const unsigned char *b, size_t offset, int kind) {
  int part = compare__padding(kind, offset);
  if (part == 4) {
    float x, y;
    memcpy(&x, a + (offset - offset % 4), 4);
    memcpy(&y, b + (offset - offset % 4), 4);
    return x != x && y != y;
  }
  if (part == 8) {
    double x, y;
    memcpy(&x, a + (offset - offset % 8), 8);
    memcpy(&y, b + (offset - offset % 8), 8);
    return x != x && y != y;
  }
  return false;
}

static void *allocate(size_t n) {
  int kept = __unitproof_errno;
  void *p = malloc(n);
  __unitproof_errno = kept;
  return p;
}

#ifdef EXECUTED
unsigned char unitproof_scratch[1 << 18]; /* of copies: it cannot fail */
static size_t scratch_used;

static unsigned char *room(size_t n) {
  assume(n <= sizeof unitproof_scratch - scratch_used);
  unsigned char *p = unitproof_scratch + scratch_used;
  scratch_used += (n + 7) / 8 * 8;
  return p;
}
#else
static unsigned char *room(size_t n) {
  unsigned char *p = allocate(n);
  assume(p != NULL);
  return p;
}
#endif

static unsigned char *copy(const void *p, size_t n) {
  unsigned char *c = room(n);
  memcpy(c, p, n);
  return c;
}

#ifdef EXECUTED
/* Returns the first place from i on at which the bytes differ; at least n if there is none. */
static size_t unequal(const unsigned char *a, const unsigned char *b, size_t i, size_t n) {
  for (;;) {
    uint64_t x, y;
    if (i % 8 == 0 && i + 8 <= n) {
      memcpy(&x, a + i, 8);
      memcpy(&y, b + i, 8);
      if (x == y) {
        i += 8;
        continue;
      }
    }
    if (i >= n || a[i] != b[i]) return i;
    i++;
  }
}
#endif

static void add(void *p, size_t n, int kind) {
  CAPACITY(block_count < BLOCKS, "capacity: blocks");
  struct block *b = &blocks[block_count++];
  b->at = p;
  b->size = n;
  b->kind = kind;
}

void *compare__block(size_t n, int kind) {
  int kept = __unitproof_errno;
  void *p = malloc(n); /* an object of the arguments */
  __unitproof_errno = kept;
  assume(p != NULL);
  add(p, n, kind);
  return p;
}

void *compare__malloc(size_t n) {
  if (compare__phase == 2) {
    for (unsigned i = 0; i < FIRST(allocation_count, ALLOCATIONS); i++) {
      struct block *b = &allocations[i];
      if (i < allocation_count && !b->taken && b->size == n) {
        b->taken = true;
        return b->at;
      }
    }
    return allocate(n);
  }
  void *p = allocate(n);
  if (compare__phase == 0) {
    if (p != NULL) add(p, n, 0);
    return p;
  }
  CAPACITY(allocation_count < ALLOCATIONS, "capacity: allocations");
  struct block *b = &allocations[allocation_count++];
  b->at = p;
  b->size = n;
  if (p != NULL) b->start = copy(p, n);
  return p;
}

void *compare__calloc(size_t m, size_t n) {
  size_t size;
  if (__builtin_mul_overflow(m, n, &size)) return NULL;
  void *p = compare__malloc(size);
  if (p != NULL) memset(p, 0, size);
  return p;
}

static void release(struct block *list, unsigned size, unsigned count, void *p, bool *found) {
  for (unsigned i = 0; i < FIRST(count, size); i++) {
    struct block *b = &list[i];
    if (i >= count || b->at != p) continue;
    *found = true;
    switch (compare__phase) {
    case 0:
      b->at = NULL;
      b->size = 0;
      break;
    case 1:
      assume(!b->freed_before); /* undefined in the version before */
      b->freed_before = true;
      break;
    default:
      b->freed_after = true;
    }
  }
}

/* The first run frees nothing: the second one needs the objects. */
void compare__free(void *p) {
  if (p == NULL) return;
  bool found = false;
  release(blocks, BLOCKS, block_count, p, &found);
  release(allocations, ALLOCATIONS, allocation_count, p, &found);
  if (compare__phase == 1) assume(found); /* undefined in the version before */
  if (compare__phase != 1) free(p);
}

/* It always moves the object. */
void *compare__realloc(void *p, size_t n) {
  if (p == NULL) return compare__malloc(n);
  if (n == 0) {
    compare__free(p);
    return NULL;
  }
  void *q = compare__malloc(n);
  if (q == NULL) return NULL;
  size_t old = __CPROVER_OBJECT_SIZE(p);
  memcpy(q, p, old < n ? old : n);
  compare__free(p);
  return q;
}

void *compare__reallocarray(void *p, size_t m, size_t n) {
  size_t size;
  if (__builtin_mul_overflow(m, n, &size)) return NULL;
  return compare__realloc(p, size);
}

static void keep(struct block *list, unsigned size, unsigned count) {
  for (unsigned i = 0; i < FIRST(count, size); i++) {
    struct block *b = &list[i];
    if (i >= count || b->at == NULL) continue;
    b->end = copy(b->at, b->size);
    memcpy(b->at, b->start, b->size);
  }
}

static void variables(bool start);

/* The argument keeps the function in the program. */
void compare__begin(int (*padding)(int, size_t)) {
  (void)padding;
  variables(true);
}

void compare__start(void) {
  variables(false);
  for (unsigned i = 0; i < FIRST(block_count, BLOCKS); i++)
    if (i < block_count && blocks[i].at != NULL) blocks[i].start = copy(blocks[i].at, blocks[i].size);
  __unitproof_errno = errno_start = nd_int();
  compare__phase = 1;
}

void compare__returned(void) { ended_before = 0; }

void compare__switch(void) {
  errno_before = __unitproof_errno;
  keep(blocks, BLOCKS, block_count);
  keep(allocations, ALLOCATIONS, allocation_count);
  __unitproof_errno = errno_start;
  compare__phase = 2;
#ifdef EXECUTED
  unitproof_judged = 1;
#endif
}

static bool allocated(const void *p) {
  bool found = false;
  for (unsigned i = 0; i < FIRST(allocation_count, ALLOCATIONS); i++)
    if (i < allocation_count && allocations[i].at == (unsigned char *)p) found = true;
  return found;
}

/* Reports whether the byte is part of two pointers to allocations, of which several may be made in another order. */
static bool in_other_order(const struct block *b, size_t offset) {
  size_t word = offset - offset % sizeof(void *);
  if (allocation_count < 2 || b->size < sizeof(void *) || word > b->size - sizeof(void *)) return false;
  return allocated(*(void **)(b->end + word)) && allocated(*(void **)(b->at + word));
}

static void compare_block(const struct block *b) {
  EACH_BYTE(offset, b->end, b->at, b->size) {
    if (compare__padding(b->kind, offset) != 1 && !both_nan(b->end, b->at, offset, b->kind)) {
      unsigned char before = b->end[offset], after = b->at[offset];
      if (in_other_order(b, offset))
        SOFT(before == after, "soft: memory");
      else
        __CPROVER_assert(before == after, "memory");
    }
  }
}

/* Reports whether there are several allocations of the size: the versions may make them in another order. */
static bool has_twin(const struct block *b) {
  bool found = false;
  for (unsigned i = 0; i < FIRST(allocation_count, ALLOCATIONS); i++)
    if (i < allocation_count && &allocations[i] != b && allocations[i].size == b->size) found = true;
  return found;
}

static void compare_allocation(const struct block *b) {
  bool twin = has_twin(b);
  EACH_BYTE(offset, b->end, b->at, b->size) {
    if (compare__padding(b->kind, offset) != 1 && !both_nan(b->end, b->at, offset, b->kind)) {
      unsigned char before = b->end[offset], after = b->at[offset];
      if (twin || in_other_order(b, offset))
        SOFT(before == after, "soft: allocation");
      else if (b->kind != 0) /* its padding is known */
        __CPROVER_assert(before == after, "object");
      else
        __CPROVER_assert(before == after, "allocation");
    }
  }
}

void compare__end(void) {
  int before_end = errno_before, after_end = __unitproof_errno;
  __CPROVER_assert(ended_before == ended_after, "end");
  __CPROVER_assert(before_end == after_end, "errno");
  __CPROVER_assert(calls_before == calls_after, "fewer calls");
  EACH(i, FIRST(block_count, BLOCKS)) {
    struct block *b = &blocks[i];
    if (i < block_count && b->at != NULL) {
      __CPROVER_assert(b->freed_before == b->freed_after, "freed");
      if (!b->freed_after) compare_block(b);
    }
  }
  EACH(k, FIRST(allocation_count, ALLOCATIONS)) {
    struct block *b = &allocations[k];
    if (k < allocation_count && b->taken && b->at != NULL) {
      SOFT(b->freed_before == b->freed_after, "soft: freed allocation");
      if (!b->freed_before && !b->freed_after) compare_allocation(b);
    }
  }
}

void compare__bytes(const void *before_result, const void *after_result, size_t size, int kind) {
  EACH_BYTE(offset, before_result, after_result, size) {
    if (compare__padding(kind, offset) != 1 && !both_nan(before_result, after_result, offset, kind)) {
      unsigned char before = ((const unsigned char *)before_result)[offset];
      unsigned char after = ((const unsigned char *)after_result)[offset];
      __CPROVER_assert(before == after, "result");
    }
  }
}

/* The result leads to objects of a kind. */
void compare__kind(const void *result, int kind) {
  for (unsigned i = 0; i < FIRST(allocation_count, ALLOCATIONS); i++)
    if (i < allocation_count && allocations[i].at == (const unsigned char *)result) allocations[i].kind = kind;
}

void compare__pointers(const void *before, const void *after) {
  if (before != NULL && after != NULL && allocation_count > 1 && allocated(before) && allocated(after))
    SOFT(before == after, "soft: result");
  else
    __CPROVER_assert(before == after, "result");
}
void compare__values(uint64_t before, uint64_t after) { __CPROVER_assert(before == after, "result"); }
void compare__signed(int64_t before, int64_t after) { __CPROVER_assert(before == after, "result"); }
void compare__floats(double before, double after) {
  uint64_t b, a;
  memcpy(&b, &before, sizeof b);
  memcpy(&a, &after, sizeof a);
  __CPROVER_assert(b == a || (before != before && after != after), "result");
}

/* Calls of functions without a body. */

static struct call *call(int function) {
  if (compare__phase == 0) return &building;
  if (compare__phase == 1) {
    CAPACITY(calls_before < CALLS, "capacity: calls");
    struct call *c = &calls[calls_before++];
    c->function = function;
    return c;
  }
  __CPROVER_assert(calls_after < calls_before, "more calls");
  struct call *c = &calls[calls_after++];
  int before = c->function, after = function;
  __CPROVER_assert(before == after, "other call");
  return c;
}

/* The function may read and write this variable of the program. plain: it holds no pointers. */
static void variable(struct seen *s, unsigned char *v, size_t size, bool plain, bool local) {
  if (compare__phase == 1) {
    s->content = copy(v, size);
    if (!plain) return;
    memhavoc(v, size);
    s->written = copy(v, size);
    return;
  }
  EACH_BYTE(i, s->content, v, size) {
    unsigned char before = s->content[i], after = v[i];
    if (local)
      SOFT(before == after, "soft: variable");
    else
      __CPROVER_assert(before == after, "variable");
  }
  if (plain) memcpy(v, s->written, size);
}

static void value(struct call *c, int k, uint64_t v) {
  struct argument *a = &c->arguments[k];
  if (compare__phase != 2) {
    a->value = v;
    return;
  }
  uint64_t before = a->value, after = v;
  __CPROVER_assert(before == after, "argument");
}

static void number(struct call *c, int k, double d) {
  uint64_t v;
  memcpy(&v, &d, sizeof v);
  value(c, k, d != d ? UINT64_MAX : v);
}

static bool known(const unsigned char *base) {
  bool found = allocated(base);
  for (unsigned i = 0; i < FIRST(block_count, BLOCKS); i++)
    if (i < block_count && blocks[i].at == base) found = true;
  return found;
}

/*
 * Reports whether byte i is part of pointers to objects that are no blocks, in both versions, such as their own local
 * variables. Formulas leave that open: the difference counts as "soft".
 */
#ifdef EXECUTED
static bool elsewhere(const void *p) {
  return p != NULL && sea_is_dereferenceable(p, 1) && !known((const unsigned char *)p - __CPROVER_POINTER_OFFSET(p));
}

static bool in_pointer_elsewhere(const unsigned char *before, const unsigned char *after, size_t i, size_t size) {
  size_t word = i - i % sizeof(void *);
  void *p, *q;
  if (size < sizeof p || word > size - sizeof p) return false;
  memcpy(&p, before + word, sizeof p);
  memcpy(&q, after + word, sizeof q);
  return elsewhere(q) && !known(p);
}
#else
static bool in_pointer_elsewhere(const unsigned char *before, const unsigned char *after, size_t i, size_t size) {
  (void)before, (void)after, (void)i, (void)size;
  return false;
}
#endif

/* plain: the object holds no pointers. */
static void pointer(struct call *c, int k, void *p, bool writable, bool plain) {
  struct argument *a = &c->arguments[k];
  if (compare__phase == 0) return;
  if (p == NULL || !sea_is_dereferenceable(p, 1)) {
    if (compare__phase == 1) {
      a->pointer = p;
      a->content = NULL;
    } else {
      /* Addresses of two objects without bytes, or of functions that each version has, are different. */
      if (a->content == NULL && a->pointer != NULL && p != NULL) UNSURE(a->pointer == p, "soft: object");
      __CPROVER_assert(a->content == NULL && a->pointer == p, "argument");
    }
    return;
  }
  size_t size = __CPROVER_OBJECT_SIZE(p), offset = __CPROVER_POINTER_OFFSET(p);
  unsigned char *base = (unsigned char *)p - offset;
  if (compare__phase == 1) {
    a->pointer = p;
    a->known = known(base);
    a->size = size;
    a->offset = offset;
    a->content = copy(base, size);
    if (writable && plain) {
      memhavoc(base, size);
      a->written = copy(base, size);
    }
    return;
  }
  __CPROVER_assert(a->content != NULL, "argument");
  bool both = known(base);
  UNSURE(a->known == both, "soft: object");
  if (both) {
    __CPROVER_assert(a->pointer == p, "argument");
    EACH_BYTE(i, a->content, base, size) {
      unsigned char before = a->content[i], after = base[i];
      __CPROVER_assert(before == after, "content");
    }
  } else {
    UNSURE(a->pointer == p || a->size == size, "soft: object");
    __CPROVER_assert(a->pointer == p || a->offset == offset, "soft: argument");
    EACH_BYTE(i, a->content, base, size) {
      unsigned char before = a->content[i], after = base[i];
      if (!in_pointer_elsewhere(a->content, base, i, size))
        __CPROVER_assert(before == after, "soft: content");
    }
  }
  if (writable && plain) memcpy(base, a->written, size);
}

/* The function writes all of a structure, its result. */
static void into(struct call *c, int k, void *p, size_t size) {
  struct argument *a = &c->arguments[k];
  if (compare__phase != 2) {
    memhavoc(p, size);
    a->written = copy(p, size);
  } else {
    memcpy(p, a->written, size);
  }
}

/* The function may advance the pointer that p leads to, in its object. */
static void cursor(struct call *c, int k, unsigned char **p) {
  struct argument *a = &c->arguments[k];
  if (compare__phase == 0 || p == NULL || !sea_is_dereferenceable(p, sizeof *p)) return;
  unsigned char *at = *p;
  if (at == NULL || !sea_is_dereferenceable(at, 1)) return;
  size_t offset = __CPROVER_POINTER_OFFSET(at), size = __CPROVER_OBJECT_SIZE(at);
  if (compare__phase == 1) a->advance = nd_size_t() % 8;
  if (a->advance < size - offset) *p = at + a->advance;
}

static uint64_t result(struct call *c) {
  if (compare__phase != 2) c->result = nd_uint64_t();
  return c->result;
}

static uint64_t second_result(struct call *c) {
  if (compare__phase != 2) c->second = nd_uint64_t();
  return c->second;
}

static double number_result(struct call *c) {
  if (compare__phase != 2) c->number = nd_double();
  return c->number;
}

/* A string, or size arbitrary bytes, or NULL. */
static void *address(struct call *c, size_t size, bool string) {
  if (compare__phase == 2) return c->address;
  unsigned char *p = NULL;
  if (nd_bool()) {
    p = compare__block(size, 0);
    memhavoc(p, size);
    if (string) p[size - 1] = 0;
    if (compare__phase == 1) blocks[block_count - 1].start = copy(p, size);
  }
  c->address = p;
  return p;
}

__attribute__((noreturn)) static void end(int function) {
  if (compare__phase == 0) abort();
  if (compare__phase == 1) {
    ended_before = function;
    compare__second();
  } else {
    ended_after = function;
    compare__end();
  }
  abort();
}

