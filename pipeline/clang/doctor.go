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
	// Package is the package of Debian that has what is missing, "" where that is not the remedy.
	Package string
}

// install is a remedy: a package, and behind it what needs that.
func (c Check) install(name, behind string) Check {
	c.Package, c.Remedy = name, "install the package "+name+behind
	return c
}

// Check names of what Doctor looks for without which no proof can be checked.
const (
	CompilerCheck = "clang"
	LinkCheck     = "llvm-link"
)

// Doctor looks for everything this package uses. The name is clang's in the configuration, "" for the default. The
// order is that of importance; a later check may fail because an earlier one did.
func Doctor(ctx context.Context, name string) []Check {
	t, err := Find(ctx, name)
	compiler := Check{Name: CompilerCheck, OK: err == nil}.install("clang", "")
	checks := []Check{compiler}
	if err != nil {
		checks[0].Detail = err.Error()
	} else {
		checks[0].Detail = fmt.Sprintf("%s (%s), %s", t.Clang, t.Version, t.why(name))
		version := fmt.Sprint(t.Major)
		if t.typedPointers() {
			checks = append(checks, Check{Name: LinkCheck, OK: t.Link != "", Detail: t.Link}.install("llvm-"+version, ""))
		}
		runtime := Check{Name: "sanitizers of clang"}.install("libclang-rt-"+version+"-dev",
			" (replaying counterexamples needs it)")
		runtime.Detail, runtime.OK = t.sanitizerRuntime(ctx)
		checks = append(checks, runtime)
	}

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

// why tells how this clang was chosen under a name in the configuration.
func (t *Toolchain) why(name string) string {
	why := "the newest that is there"
	switch {
	case name != "":
		why = "which the configuration names"
	case os.Getenv(Variable) != "":
		why = "which " + Variable + " names"
	}
	if !t.Tested() {
		why += fmt.Sprintf("; versions %d to %d and %d to %d were tried with this program, this one was not", OldestMajor,
			untried-1, untried+1, NewestMajor)
	}
	return why
}

// sanitizerRuntime asks clang where its AddressSanitizer is; it answers with the bare name when there
// is none.
func (t *Toolchain) sanitizerRuntime(ctx context.Context) (string, bool) {
	out, _, err := t.Run(ctx, "", t.Clang, []string{"-print-runtime-dir"}, nil)
	dir := strings.TrimSpace(string(out))
	if err != nil || dir == "" {
		return "clang does not say where its runtime is", false
	}
	// Debian keeps the architecture in the file's name, upstream builds in the folder's, which clang 19 names whether it
	// is there or not. Proofs are run on this machine, which is what they are compiled for: x86-64.
	for _, pattern := range []string{filepath.Join(dir, "libclang_rt.asan-x86_64.a"),
		filepath.Join(filepath.Dir(dir), "linux", "libclang_rt.asan-x86_64.a"),
		filepath.Join(filepath.Dir(dir), "x86_64*", "libclang_rt.asan*.a")} {
		if found, _ := filepath.Glob(pattern); len(found) > 0 {
			return found[0], true
		}
	}
	return "no libclang_rt.asan for x86-64 in " + dir, false
}
