/*
 * Runs functions with contracts natively, with inputs that they allow, and looks at each clause. A run ends at its
 * first violation, which is one of the function in whose contract or body it stands: what that requires was true.
 *
 * argv[1] is the number of runs of a function of which not all inputs can be tried; a further argument says that the
 * bodies of what a function calls belong to its proof. Each line of the output is one of
 *   saw ID TIMES MIN MAX           a number that a clause can be about
 *   reached FUNCTION KIND LINE     a clause was looked at
 *   violated FUNCTION KIND LINE INPUT...
 *   runs FUNCTION N complete|some|strayed      all inputs were tried; not all; a run ended in another function
 */
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { POSTCONDITION, PRECONDITION, ASSIGNS, INVARIANT_OF_LOOP, VARIANT_OF_LOOP, BOUNDS, ASSERTION, KINDS };
#define INVARIANT INVARIANT_OF_LOOP
static const char *const kind_names[] = {"postcondition", "precondition", "assigns", "loop-invariant", "loop-variant",
  "out-of-bounds", "assertion"};
struct root { const char *name; void (*run)(void); };
enum { FUNCTIONS = 8, LINES = 1000, IDS = 1000, DIGITS = 24, OBJECTS = 16, DEPTH = 300, FRAMES = 400, RANGES = 12 };

static struct { long times, min, max; } seen[IDS];
static unsigned char reached[FUNCTIONS][KINDS][LINES], violations[FUNCTIONS][KINDS][LINES];
static char how[200];
static const struct root *all_roots;
static jmp_buf end_of_run;
static int root, inlined, strayed, incomplete;

/* Inputs: all of them, by counting, or random ones. */
static int counting, digits, digit;
static struct { long at, radix; } count[DIGITS];
static uint64_t state;
static uint64_t next(void) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return state * 0x2545F4914F6CDD1D >> 11;
}
static void noted(long v) {
  size_t n = strlen(how);
  if (n < sizeof how - 24)
    sprintf(how + n, " %ld", v);
}
static long in(long lo, long hi) {
  long v;
  if (counting) {
    if (hi - lo > 300 || digit == DIGITS) {
      incomplete = 1;
      longjmp(end_of_run, 1);
    }
    if (digit == digits) {
      count[digits].at = 0;
      count[digits++].radix = hi - lo + 1;
    }
    v = lo + count[digit++].at;
  } else {
    switch (next() % 8) {
      case 0: v = lo; break;
      case 1: v = hi; break;
      case 2: case 3: case 4: v = lo + (long)(next() % 12); break;
      default: v = lo + (long)(next() % (uint64_t)(hi - lo + 1));
    }
    if (v > hi)
      v = hi;
  }
  noted(v);
  return v;
}
static unsigned length(unsigned longest) {
  if (longest <= 4)
    return (unsigned)in(0, longest);
  if (counting)
    in(0, 1000); /* too many */
  unsigned most = next() % 8 ? 5 : next() % 8 ? 40 : 200;
  unsigned v = next() % ((most < longest ? most : longest) + 1);
  noted(v);
  return v;
}
static void *objects[OBJECTS];
static int objects_made;
static void *make(size_t n) {
  if (objects_made == OBJECTS)
    abort();
  return objects[objects_made++] = malloc(n + 1);
}

/* Calls: whose function they are of, at which line they are now, and where their stack begins. */
static int depth, function_at[DEPTH], here[DEPTH], frames_at[DEPTH];
static char *base[DEPTH];
/* Frames: what may be written. */
static struct { int loop, depth, ranges; const char *from[RANGES]; size_t size[RANGES]; } frame[FRAMES];
static int frames;

static void violated(int function, enum kind kind, int line) {
  int in_body = kind == INVARIANT_OF_LOOP || kind == VARIANT_OF_LOOP || kind == BOUNDS;
  for (int f = function;; f = root) {
    if (!violations[f][kind][line]++)
      printf("violated %s %s %d %s\n", all_roots[f].name, kind_names[kind], line, how);
    if (f == root || !inlined || !in_body)
      break;
  }
  strayed |= function != root;
  longjmp(end_of_run, 1);
}
static void look(enum kind kind, int line, int c) {
  reached[function_at[depth]][kind][line] = 1;
  if (!c)
    violated(function_at[depth], kind, line);
}
#define CLAUSE(kind, c) look(kind, __LINE__, (c) != 0)
static void saw(int id, long v) {
  if (!seen[id].times || v < seen[id].min)
    seen[id].min = v;
  if (!seen[id].times || v > seen[id].max)
    seen[id].max = v;
  seen[id].times++;
}
static void enter(int function, void *at) {
  if (++depth == DEPTH)
    abort();
  function_at[depth] = function, here[depth] = 0, base[depth] = at, frames_at[depth] = frames;
}
static void leave(void) { frames = frames_at[depth--]; }
/* What a function requires is its caller's to see to, at the line of the call. */
#define REQUIRED(c) required((c) != 0)
static void required(int c) {
  if (depth == 1) {
    if (!c)
      longjmp(end_of_run, 1);
    return;
  }
  if (inlined) { /* nobody is asked: what follows is outside of what the function promises */
    if (!c) {
      strayed = 1;
      longjmp(end_of_run, 1);
    }
    return;
  }
  reached[function_at[depth - 1]][PRECONDITION][here[depth - 1]] = 1;
  if (!c)
    violated(function_at[depth - 1], PRECONDITION, here[depth - 1]);
}
#define MET() ((void)0)
static void frame_begin(int loop) {
  if (frames == FRAMES)
    abort();
  frame[frames].loop = loop, frame[frames].depth = depth, frame[frames].ranges = 0;
  frames++;
}
static void frame_add(const void *p, size_t n) {
  int k = frame[frames - 1].ranges++;
  if (k == RANGES)
    abort();
  frame[frames - 1].from[k] = p, frame[frames - 1].size[k] = n;
}
static void frame_end(void) { frames = frames_at[depth]; }
/* mine: a variable of the function itself, which only its loops ask about. */
static void written(const void *at, size_t n, int line, int mine) {
  const char *p = at;
  for (int f = frames; f-- > 0;) {
    int d = frame[f].depth, first = frame[f].loop ? d + 1 : d; /* the first call whose variables are new */
    if (mine && (d != depth || !frame[f].loop))
      continue;
    if (first <= depth && p < base[first] && p > (char *)__builtin_frame_address(0))
      continue;
    int k = 0;
    while (k < frame[f].ranges && !(frame[f].from[k] <= p && p + n <= frame[f].from[k] + frame[f].size[k]))
      k++;
    if (k == frame[f].ranges)
      violated(function_at[d], ASSIGNS, d == depth ? line : here[d]);
  }
}
#define STORE(x, e, mine) ({ __typeof__(x) *at_ = &(x); __typeof__(x) v_ = (__typeof__(x))(e); \
  written(at_, sizeof *at_, __LINE__, mine); *at_ = v_; })
#define SET(x, e) STORE(x, e, 0)
#define MINE(x, e) STORE(x, e, 1)
static size_t inside(size_t i, size_t n, int line) {
  if (i >= n)
    violated(function_at[depth], BOUNDS, line);
  return i;
}
#define AT(a, i, n) (a)[inside(i, n, __LINE__)]
#define CALL(f, ...) (here[depth] = __LINE__, f(__VA_ARGS__))
#define ALL(k, bound, c) ({ int ok_ = 1; for (unsigned k = 0; k < (bound) && ok_; k++) ok_ = (c) != 0; ok_; })
#define ANY(k, bound, c) ({ int ok_ = 0; for (unsigned k = 0; k < (bound) && !ok_; k++) ok_ = (c) != 0; ok_; })
#define LOOP_BEGIN unsigned long arrivals_ = 0; uint64_t measure_ = 0; int frames_ = frames
#define VARIANT(e) ({ uint64_t now_ = (e); if (arrivals_) look(VARIANT_OF_LOOP, __LINE__, now_ < measure_); \
  measure_ = now_; })
#define LOOP_END frames = frames_

/* once runs a function with one input. */
static void once(const struct root *r) {
  digit = 0, how[0] = 0, depth = 0, frames = 0;
  if (!setjmp(end_of_run))
    r->run();
  while (objects_made > 0)
    free(objects[--objects_made]);
}
static int contracts_main(const struct root *roots, int n, const char *most, int inline_calls) {
  all_roots = roots, inlined = inline_calls;
  for (root = 0; root < n; root++) {
    long runs = 0;
    incomplete = strayed = 0;
    counting = 1, digits = 0, state = 88172645463325252u + (uint64_t)root;
    for (; !incomplete; runs++) {
      if (runs == 4096) {
        incomplete = 1;
        break;
      }
      once(roots + root);
      while (digits > 0 && ++count[digits - 1].at == count[digits - 1].radix)
        digits--;
      if (digits == 0) {
        runs++;
        break;
      }
    }
    if (incomplete)
      for (counting = 0, runs = 0; runs < atol(most); runs++)
        once(roots + root);
    printf("runs %s %ld %s\n", roots[root].name, runs, strayed ? "strayed" : incomplete ? "some" : "complete");
  }
  for (int id = 0; id < IDS; id++)
    if (seen[id].times)
      printf("saw %d %ld %ld %ld\n", id, seen[id].times, seen[id].min, seen[id].max);
  for (int f = 0; f < n; f++)
    for (int k = 0; k < KINDS; k++)
      for (int line = 0; line < LINES; line++)
        if (reached[f][k][line])
          printf("reached %s %s %d\n", roots[f].name, kind_names[k], line);
  return 0;
}
