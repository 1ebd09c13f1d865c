package clang

import (
	"strings"
	"sync"
)

// builtins are the functions that the engine gives a meaning when they have no body: the proof
// language and its dialects (CONTRACT.md, section 4), memory management, the ends of execution.
var builtins = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for _, name := range strings.Fields(`
		assume sassert assert unitproof_reads unitproof_apart memhavoc sea_is_dereferenceable sea_is_modified sea_reset_modified sea_tracking_on sea_tracking_off
		__SEA_assume __VERIFIER_assume __VERIFIER_assert __VERIFIER_error reach_error
		__CPROVER_assume __CPROVER_assert __CPROVER_r_ok __CPROVER_w_ok __CPROVER_rw_ok __CPROVER_precondition __CPROVER_postcondition
		__CPROVER_OBJECT_SIZE __CPROVER_POINTER_OFFSET __CPROVER_POINTER_OBJECT klee_make_symbolic klee_assume
		malloc calloc realloc reallocarray aligned_alloc posix_memalign free cfree alloca
		memcpy memmove memset mempcpy __memcpy_chk __memmove_chk __memset_chk
		exit _exit _Exit quick_exit abort __assert_fail __assert __assert_rtn
		printf fprintf vprintf vfprintf dprintf __printf_chk __fprintf_chk puts putchar fputs fputc putc perror fflush syslog`) {
		set[name] = true
	}
	return set
})

// Builtin reports whether the engine knows a function of that name without a body, so that nobody
// has to look for one. A function of the user's with that name is still executed as written.
func Builtin(name string) bool {
	if builtins()[name] {
		return true
	}
	for _, prefix := range []string{"nd_", "nondet_", "__VERIFIER_nondet_", "__CPROVER_uninterpreted_", "llvm.", "__ubsan_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}
