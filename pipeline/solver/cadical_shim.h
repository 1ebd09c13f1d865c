#ifndef UNITPROOF_CADICAL_SHIM_H
#define UNITPROOF_CADICAL_SHIM_H

#include <stddef.h>
#include <stdint.h>

// CaDiCaL with arrays instead of a call per literal, a stop flag and a
// counter of conflicts, which its own C interface lacks.

#ifdef __cplusplus
extern "C" {
#endif

typedef struct up_cadical up_cadical;

up_cadical *up_cadical_new(void);
void up_cadical_free(up_cadical *);
int up_cadical_option(up_cadical *, const char *name, int value);

// up_cadical_add takes clauses, each closed by a zero.
void up_cadical_add(up_cadical *, const int32_t *lits, size_t n);

// up_cadical_solve returns 10 (satisfiable), 20 (unsatisfiable) or 0. A
// negative limit is none.
int up_cadical_solve(up_cadical *, const int32_t *assumptions, size_t n, int conflicts);

// up_cadical_stop may be called from any thread; up_cadical_arm clears it.
void up_cadical_stop(up_cadical *);
void up_cadical_arm(up_cadical *);
int up_cadical_stopped(up_cadical *);

int64_t up_cadical_conflicts(up_cadical *);

// up_cadical_values writes 1 for each variable that is true, else 0.
void up_cadical_values(up_cadical *, const int32_t *vars, size_t n, uint8_t *out);
// up_cadical_failed writes 1 for each assumption used to derive the answer 20.
void up_cadical_failed(up_cadical *, const int32_t *lits, size_t n, uint8_t *out);

#ifdef __cplusplus
}
#endif
#endif
