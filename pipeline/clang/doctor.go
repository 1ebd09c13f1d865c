package clang

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/unitproof/unitproof/pipeline/cache"
)

// Check is one thing that has to be in place, for `unitproof doctor`.
type Check struct {
	Name   string
	OK     bool
	Detail string // what was found: a path, a version, an error
	Remedy string // what to do when it is not OK
}

// Doctor looks for everything this package uses. The order is that of importance; a later check may
// fail because an earlier one did.
func Doctor(ctx context.Context) []Check {
	t, err := Find(ctx, "")
	compiler := Check{Name: fmt.Sprintf("clang-%d", Major), OK: err == nil, Remedy: "install the package clang-14"}
	link := Check{Name: fmt.Sprintf("llvm-link-%d", Major), Remedy: "install the package llvm-14"}
	opt := Check{Name: fmt.Sprintf("opt-%d", Major),
		Remedy: "install the package llvm-14 (only tests of this program need it)"}
	runtime := Check{Name: "libclang-rt-14-dev",
		Remedy: "install the package libclang-rt-14-dev (replaying counterexamples needs it)"}
	if err != nil {
		compiler.Detail = err.Error()
	} else {
		compiler.Detail = fmt.Sprintf("%s (%s)", t.Clang, t.Version)
		link.OK, link.Detail = t.Link != "", t.Link
		opt.OK, opt.Detail = t.Opt != "", t.Opt
		runtime.Detail, runtime.OK = t.sanitizerRuntime(ctx)
	}
	checks := []Check{compiler, link, opt, runtime}

	include := Check{Name: "folder of unitproof.h", Remedy: "make the user's cache folder writable, or set XDG_CACHE_HOME"}
	if dir, err := HeaderDir(); err != nil {
		include.Detail = err.Error()
	} else {
		include.Detail = dir
		base, err := cacheDir()
		include.OK = err == nil && strings.HasPrefix(dir, base) // a temporary one is no good for editors
	}
	folder := Check{Name: "cache folder",
		Remedy: "make it writable, or set XDG_CACHE_HOME; without it everything is compiled anew"}
	if dir, err := cacheDir(); err != nil {
		folder.Detail = err.Error()
	} else {
		folder.Detail = dir
		probe := filepath.Join(dir, fmt.Sprintf("probe-%d", os.Getpid()))
		if err := cache.WriteFile(probe, nil); err != nil {
			folder.Detail = err.Error()
		} else {
			folder.OK = os.Remove(probe) == nil
		}
	}
	return append(checks, include, folder)
}

// sanitizerRuntime asks clang where its AddressSanitizer is; it answers with the bare name when there
// is none.
func (t *Toolchain) sanitizerRuntime(ctx context.Context) (string, bool) {
	out, _, err := t.Run(ctx, "", t.Clang, []string{"-print-runtime-dir"}, nil)
	dir := strings.TrimSpace(string(out))
	if err != nil || dir == "" {
		return "clang does not say where its runtime is", false
	}
	// Debian keeps the architecture in the file's name, upstream builds in the folder's. Proofs are run on this machine,
	// which is what they are compiled for: x86-64.
	for _, pattern := range []string{filepath.Join(dir, "libclang_rt.asan-x86_64.a"),
		filepath.Join(filepath.Dir(dir), "x86_64*", "libclang_rt.asan*.a")} {
		if found, _ := filepath.Glob(pattern); len(found) > 0 {
			return found[0], true
		}
	}
	return "no libclang_rt.asan for x86-64 in " + dir, false
}
