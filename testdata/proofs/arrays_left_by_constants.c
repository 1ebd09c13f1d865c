/*
 * verdict: failed
 *
 * Constant indices of arrays inside of variables of static storage: the whole address is one constant. (Of *(g.slot + 4)
 * clang 15 and later leave no trace of the array: cmd/unitproof/testdata/versions.txtar.)
 */
#include <unitproof.h>
struct pair { int x, y; };
struct holder { unsigned slot[4]; char name[8]; struct pair pairs[3]; unsigned total; };
static struct holder g;
struct large { long v[4]; };
struct larges { struct large l[2]; long after[4]; };
static long first(struct large l) { return l.v[0]; }
void g_const_inc_proof(void) { g.slot[4]++; } // want failed array-bounds
void g_copy_const_proof(void) { struct pair p = g.pairs[3]; (void)p; } // want failed array-bounds
long passed_global_proof(void) { static struct larges s; return first(s.l[2]); } // want failed array-bounds
