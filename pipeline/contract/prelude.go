package contract

import (
	"fmt"

	"github.com/unitproof/unitproof/vcgen/language"
)

// File is the file name of the primitives in messages and debug information.
const File = language.ContractFile

// prelude returns the declarations of the primitives; vcgen/language has their roles. The text is compiled as
// preprocessed text, for which clang 22 and later define no macros of their own (such as the macros for types of
// numbers).
func prelude() string {
	disjointness := ""
	for k := range maxSlots {
		disjointness += fmt.Sprintf(" && (n <= %[1]d || __unitproof_apart_from(s[%[1]d], p, size, flags))", k)
	}
	return primitives + `static __inline __attribute__((unused)) _Bool __unitproof_all_apart(struct __unitproof_fresh *s, int n,
  const void *p, __unitproof_size_t size, int flags) {
  return 1` + disjointness + `;
}
`
}

const primitives = `# 1 "` + File + `" 3
typedef __typeof__(sizeof 0) __unitproof_size_t;
int __unitproof_loops(void);
void __unitproof_stop(void);
void __unitproof_assuming(int);
void __unitproof_assume(_Bool);
void __unitproof_requires(_Bool, const char *);
void __unitproof_ensures(_Bool, const char *);
void __unitproof_invariant(_Bool, _Bool, const char *);
void __unitproof_variant(_Bool, const char *);
void __unitproof_frame_begin(_Bool);
void __unitproof_frame_add(const void *, __unitproof_size_t);
void __unitproof_frame_free(const void *);
void __unitproof_frame_written(_Bool);
void __unitproof_frame_pause(void);
void __unitproof_frame_go_on(void);
void __unitproof_frame_end(void);
void __unitproof_loop_leave(char *);
void __unitproof_loop_leaving(_Bool);
void __unitproof_havoc(void *, __unitproof_size_t);
void *__unitproof_malloc(__unitproof_size_t);
void *__unitproof_part(__unitproof_size_t);
void __unitproof_free(void *);
_Bool __unitproof_choice(void);
__unitproof_size_t __unitproof_number(void);
_Bool __unitproof_r_ok(const void *, __unitproof_size_t);
__unitproof_size_t __unitproof_size(const void *);
__unitproof_size_t __unitproof_offset(const void *);
__unitproof_size_t __unitproof_object(const void *);
_Bool __unitproof_is_new(const void *);
void __unitproof_apart(const void *);
_Bool __unitproof_is_freeable(const void *);
_Bool __unitproof_was_freed(const void *);
int *__unitproof_errno_at(void);
static __inline __attribute__((unused)) _Bool __unitproof_disjoint(const void *p, __unitproof_size_t n, const void *q,
  __unitproof_size_t m) {
  return !q || __unitproof_object(p) != __unitproof_object(q) || __unitproof_offset(p) + n <= __unitproof_offset(q) ||
    __unitproof_offset(q) + m <= __unitproof_offset(p);
}
static __inline __attribute__((unused)) _Bool __unitproof_in_range(const void *low, const void *p, const void *high) {
  return __unitproof_object(low) == __unitproof_object(p) && __unitproof_object(p) == __unitproof_object(high) &&
    __unitproof_offset(low) <= __unitproof_offset(p) && __unitproof_offset(p) <= __unitproof_offset(high);
}
struct __unitproof_fresh { const void *at; __unitproof_size_t size; };
static __inline __attribute__((unused)) _Bool __unitproof_apart_from(struct __unitproof_fresh s, const void *p,
  __unitproof_size_t n, int flags) {
  return flags & 1 ? !s.at || __unitproof_object(p) != __unitproof_object(s.at) : __unitproof_disjoint(p, n, s.at, s.size);
}
_Bool __CPROVER_is_fresh_of_an_expression(void);
`
