/* Programs that are run natively and by the interpreter: both must emit the same numbers. */
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

unsigned long long results[4096];
unsigned count;

static inline void emit(unsigned long long x) { results[count++] = x; }

static inline void emit_double(double d) {
  union {
    double d;
    unsigned long long u;
  } v = {.d = d != d ? __builtin_nan("") : d};
  emit(v.u);
}

static inline void emit_float(float f) {
  union {
    float f;
    unsigned u;
  } v = {.f = f != f ? __builtin_nanf("") : f};
  emit(v.u);
}

void program(void);

#ifdef NATIVE
#include <stdio.h>
int main(void) {
  program();
  for (unsigned i = 0; i < count; i++)
    printf("%llx\n", results[i]);
  return 0;
}
#else
int main(void) {
  program();
  return 0;
}
#endif
