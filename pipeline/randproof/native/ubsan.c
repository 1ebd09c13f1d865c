/*
 * The functions that clang calls where UndefinedBehaviorSanitizer finds a violation, for cross compilers without its
 * library. Each prints the place and the kind as the library does, and ends the run.
 */
#include <stdint.h>
#include <stdio.h>

/* What clang passes to each function begins with the place; that of an operation continues with the type. */
struct type {
  uint16_t kind, info; /* info: 1 if signed, and twice the logarithm of the bits */
};
struct data {
  const char *file;
  uint32_t line, column;
  const struct type *type;
};

void native_violation(int code);

static void report(const struct data *d, const char *what) {
  fprintf(stderr, "%s:%u:%u: runtime error: %s\n", d->file, (unsigned)d->line, (unsigned)d->column, what);
  native_violation(98);
}

#define HANDLER(name, what) \
  void __ubsan_handle_##name(const struct data *d); \
  void __ubsan_handle_##name(const struct data *d) { report(d, what); }

HANDLER(add_overflow_abort, "signed integer overflow")
HANDLER(sub_overflow_abort, "signed integer overflow")
HANDLER(mul_overflow_abort, "signed integer overflow")
HANDLER(negate_overflow_abort, "negation of a number")
HANDLER(shift_out_of_bounds_abort, "shift exponent")
HANDLER(out_of_bounds_abort, "index out of bounds")
HANDLER(float_cast_overflow_abort, "outside the range of representable values")
HANDLER(vla_bound_not_positive_abort, "variable length array bound")
HANDLER(invalid_builtin_abort, "passing zero to a builtin")
HANDLER(builtin_unreachable, "unreachable program point")
HANDLER(missing_return, "unreachable program point")

/* A number that is not wider than an address is passed as it is, and any other one by its address. */
void __ubsan_handle_divrem_overflow_abort(const struct data *d, uintptr_t left, uintptr_t right);
void __ubsan_handle_divrem_overflow_abort(const struct data *d, uintptr_t left, uintptr_t right) {
  unsigned bytes = (1u << (d->type->info >> 1)) / 8;
  int zero = right == 0;
  (void)left;
  if (bytes > sizeof right) {
    zero = 1;
    for (unsigned i = 0; i < bytes; i++)
      zero = zero && ((const unsigned char *)right)[i] == 0;
  }
  report(d, zero ? "division by zero" : "division of the least number by -1");
}
