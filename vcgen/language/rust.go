package language

import (
	"slices"
	"strings"
	"sync"

	"github.com/ianlancetaylor/demangle"
)

// Functions of Rust's library have no body in the module of a crate, because they are compiled in other crates. Their
// symbols are mangled and contain a hash of the compiler; therefore they are looked up by path.

// rustNames maps the paths of such functions to roles.
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

// rustPaths caches the entries of mangled names that were looked up.
var rustPaths sync.Map

// rust returns the entry of a Rust name, mangled or of the allocator. It returns false for other names.
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

// Demangled returns the path of a Rust symbol without types, "core::panicking::panic"; other names are unchanged.
func Demangled(name string) string {
	if !strings.HasPrefix(name, "_R") && !strings.HasPrefix(name, "_ZN") {
		return name
	}
	path, err := demangle.ToString(name, demangle.NoTemplateParams)
	if err != nil {
		return name
	}
	if strings.HasSuffix(path, ">") { // the type arguments of a generic function
		if i := strings.LastIndex(path, "::<"); i > 0 {
			path = path[:i]
		}
	}
	return path
}

// rustCrates are the crates of Rust's standard library.
var rustCrates = []string{"core", "alloc", "std"}

// isPanic reports whether a library function, given by its path, only panics.
//
// There are few of them, and they are separate functions so that their callers remain small. The library names them
// panic_…, …_fail and …_failed.
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

// IsCompilerPanic reports whether a symbol is a function of Rust's library that only compiler checks call.
//
// These are the checks of overflow, division and indices.
func IsCompilerPanic(name string) bool {
	return strings.Contains(name, "panic_const") || strings.Contains(name, "panic_bounds_check")
}
