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

enum { BLOCKS = 24, ALLOCATIONS = 8, CALLS = 12, ARGUMENTS = 8 };

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
};
struct call {
  int function;
  uint64_t result;
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

static unsigned char *copy(const void *p, size_t n) {
  unsigned char *c = allocate(n);
  assume(c != NULL);
  memcpy(c, p, n);
  return c;
}

static void add(void *p, size_t n, int kind) {
  __CPROVER_assert(block_count < BLOCKS, "capacity: blocks");
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
    for (unsigned i = 0; i < ALLOCATIONS; i++) {
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
  __CPROVER_assert(allocation_count < ALLOCATIONS, "capacity: allocations");
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
  for (unsigned i = 0; i < size; i++) {
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
  for (unsigned i = 0; i < size; i++) {
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
  for (unsigned i = 0; i < BLOCKS; i++)
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
}

static bool allocated(const void *p) {
  bool found = false;
  for (unsigned i = 0; i < ALLOCATIONS; i++)
    if (i < allocation_count && allocations[i].at == (unsigned char *)p) found = true;
  return found;
}

/* Reports whether the byte is part of two pointers to allocations, of which several may be made in another order. */
static bool in_other_order(const struct block *b, size_t offset) {
  size_t word = offset - offset % sizeof(void *);
  if (allocation_count < 2 || b->size < sizeof(void *) || word > b->size - sizeof(void *)) return false;
  return allocated(*(void **)(b->end + word)) && allocated(*(void **)(b->at + word));
}

void compare__end(void) {
  int before_end = errno_before, after_end = __unitproof_errno;
  __CPROVER_assert(ended_before == ended_after, "end");
  __CPROVER_assert(before_end == after_end, "errno");
  __CPROVER_assert(calls_before == calls_after, "fewer calls");
  unsigned i = nd_uint();
  size_t offset = nd_size_t();
  if (i < BLOCKS && i < block_count && blocks[i].at != NULL) {
    struct block *b = &blocks[i];
    __CPROVER_assert(b->freed_before == b->freed_after, "freed");
    if (!b->freed_after && offset < b->size && compare__padding(b->kind, offset) != 1 &&
        !both_nan(b->end, b->at, offset, b->kind)) {
      unsigned char before = b->end[offset], after = b->at[offset];
      if (in_other_order(b, offset))
        __CPROVER_assert(before == after, "soft: memory");
      else
        __CPROVER_assert(before == after, "memory");
    }
  }
  i = nd_uint();
  if (i < ALLOCATIONS && i < allocation_count && allocations[i].taken && allocations[i].at != NULL) {
    struct block *b = &allocations[i];
    __CPROVER_assert(b->freed_before == b->freed_after, "soft: freed allocation");
    if (!b->freed_before && !b->freed_after && offset < b->size && compare__padding(b->kind, offset) != 1 &&
        !both_nan(b->end, b->at, offset, b->kind)) {
      unsigned char before = b->end[offset], after = b->at[offset];
      if (in_other_order(b, offset))
        __CPROVER_assert(before == after, "soft: allocation");
      else if (b->kind != 0) /* its padding is known */
        __CPROVER_assert(before == after, "object");
      else
        __CPROVER_assert(before == after, "allocation");
    }
  }
}

void compare__bytes(const void *before_result, const void *after_result, size_t size, int kind) {
  size_t offset = nd_size_t();
  if (offset < size && compare__padding(kind, offset) != 1 && !both_nan(before_result, after_result, offset, kind)) {
    unsigned char before = ((const unsigned char *)before_result)[offset];
    unsigned char after = ((const unsigned char *)after_result)[offset];
    __CPROVER_assert(before == after, "result");
  }
}
/* The result leads to objects of a kind. */
void compare__kind(const void *result, int kind) {
  for (unsigned i = 0; i < ALLOCATIONS; i++)
    if (i < allocation_count && allocations[i].at == (const unsigned char *)result) allocations[i].kind = kind;
}

void compare__pointers(const void *before, const void *after) {
  if (before != NULL && after != NULL && allocation_count > 1 && allocated(before) && allocated(after))
    __CPROVER_assert(before == after, "soft: result");
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
    __CPROVER_assert(calls_before < CALLS, "capacity: calls");
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
  if (compare__phase == 0) return;
  if (compare__phase == 1) {
    s->content = copy(v, size);
    if (!plain) return;
    memhavoc(v, size);
    s->written = copy(v, size);
    return;
  }
  size_t i = nd_size_t();
  if (i < size) {
    unsigned char before = s->content[i], after = v[i];
    if (local)
      __CPROVER_assert(before == after, "soft: variable");
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
  for (unsigned i = 0; i < BLOCKS; i++)
    if (i < block_count && blocks[i].at == base) found = true;
  return found;
}

/* plain: the object holds no pointers. */
static void pointer(struct call *c, int k, void *p, bool writable, bool plain) {
  struct argument *a = &c->arguments[k];
  if (compare__phase == 0) return;
  if (p == NULL || !sea_is_dereferenceable(p, 1)) {
    if (compare__phase == 1) {
      a->pointer = p;
      a->content = NULL;
    } else {
      __CPROVER_assert(a->content == NULL && a->pointer == p, "argument");
    }
    return;
  }
  size_t size = __CPROVER_OBJECT_SIZE(p), offset = __CPROVER_POINTER_OFFSET(p), i = nd_size_t();
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
  __CPROVER_assert(a->known == both, "soft: argument");
  if (both) {
    __CPROVER_assert(a->pointer == p, "argument");
    if (i < size) {
      unsigned char before = a->content[i], after = base[i];
      __CPROVER_assert(before == after, "content");
    }
  } else {
    __CPROVER_assert(a->pointer == p || (a->size == size && a->offset == offset), "soft: argument");
    if (i < size) {
      unsigned char before = a->content[i], after = base[i];
      __CPROVER_assert(before == after, "soft: content");
    }
  }
  if (writable && plain) memcpy(base, a->written, size);
}

static uint64_t result(struct call *c) {
  if (compare__phase != 2) c->result = nd_uint64_t();
  return c->result;
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

