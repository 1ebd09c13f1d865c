package language

import (
	"slices"
	"strings"
	"sync"

	"github.com/ianlancetaylor/demangle"
)

// Functions of Rust's library that have no body in the module of a crate: they are compiled in others. Their symbols
// are mangled, with a hash of the compiler in them, so it is their paths that are looked up.

// rustNames are such functions by their paths.
var rustNames = map[string]Role{
	"__rust_alloc": RustAlloc, "__rust_alloc_zeroed": RustAllocZeroed, "__rust_realloc": RustRealloc,
	"__rust_dealloc":                      RustDealloc,
	"__rust_no_alloc_shim_is_unstable_v2": Nothing,
	"alloc::raw_vec::handle_error":        CapacityError,
	"alloc::raw_vec::capacity_overflow":   AssertFailure,
	"alloc::alloc::handle_alloc_error":    Abort,
	"core::intrinsics::abort":             Abort,
	"std::process::abort":                 Abort,
	"std::process::exit":                  Exit,
	"std::io::stdio::_print":              Print,
	"std::io::stdio::_eprint":             Print,
}

// rustPaths has the entries of mangled names that were looked up.
var rustPaths sync.Map

// rust finds what a name means that is one of Rust's: mangled, or one of the allocator's.
func rust(name string) (Entry, bool) {
	if !strings.HasPrefix(name, "_R") && !strings.HasPrefix(name, "_ZN") && !strings.HasPrefix(name, "__rust") {
		return Entry{}, false
	}
	if e, ok := rustPaths.Load(name); ok {
		return e.(Entry), true
	}
	path := Demangled(name)
	e := Entry{Name: name, Dialect: Rust, Role: rustNames[strings.TrimPrefix(path, "__rustc::")]}
	if e.Role == None && isPanic(path) {
		e.Role = AssertFailure
	}
	rustPaths.Store(name, e)
	return e, true
}

// Demangled is the path that a symbol of Rust stands for, "core::panicking::panic", without types; other names are as
// they are.
func Demangled(name string) string {
	if !strings.HasPrefix(name, "_R") && !strings.HasPrefix(name, "_ZN") {
		return name
	}
	path, err := demangle.ToString(name, demangle.NoTemplateParams)
	if err != nil {
		return name
	}
	if strings.HasSuffix(path, ">") { // the types that a generic function is made for
		if i := strings.LastIndex(path, "::<"); i > 0 {
			path = path[:i]
		}
	}
	return path
}

// rustCrates are the crates of Rust's library.
var rustCrates = []string{"core", "alloc", "std"}

// isPanic tells whether a function of Rust's library does nothing but to panic, by its path. Those are few, and are
// made functions of their own so that what calls them stays small; the library calls them panic_… or …_fail and
// …_failed.
func isPanic(path string) bool {
	crate, rest, _ := strings.Cut(strings.TrimLeft(path, "<"), "::")
	if !slices.Contains(rustCrates, crate) {
		return false
	}
	if strings.HasPrefix(rest, "panicking::") {
		return true
	}
	last := path[strings.LastIndex(path, ":")+1:]
	return strings.Contains(last, "panic") || strings.HasSuffix(last, "_fail") || strings.HasSuffix(last, "_failed") ||
		strings.HasSuffix(last, "_fail_rt")
}

// IsCompilerPanic reports whether a function of Rust's library, by its symbol, is one that only the compiler's checks
// call: those of overflow, division and indices.
func IsCompilerPanic(name string) bool {
	return strings.Contains(name, "panic_const") || strings.Contains(name, "panic_bounds_check")
}
