package clang

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/unitproof/unitproof/pipeline/cache"
)

// Check is one requirement that `unitproof doctor` checks.
type Check struct {
	Name   string
	OK     bool
	Detail string // the thing found: a path, a version, an error
	Remedy string // the fix if it is not OK
	// Package is the package of this system that fixes it, or "".
	Package string
}

// install sets the remedy: install the package for a need, for clang of a version. behind is appended and names its
// purpose.
func (c Check) install(need Need, major int, behind string) Check {
	c.Package, c.Remedy = Advise(need, major)
	c.Remedy += behind
	return c
}

// These are the names of the checks without which no proof can be checked.
const (
	CompilerCheck = "clang"
	LinkCheck     = "llvm-link"
)

// Doctor checks for everything that this package uses, most important first. name is the configured clang, "" for the
// default. A later check may fail because an earlier one did.
func Doctor(ctx context.Context, name string) []Check {
	t, err := Find(ctx, name)
	compiler := Check{Name: CompilerCheck, OK: err == nil}.install(NeedCompiler, 0, "")
	checks := []Check{compiler}
	if err != nil {
		checks[0].Detail = strings.TrimSuffix(err.Error(), ": "+compiler.Remedy) // the next line has it
	} else {
		checks[0].Detail = fmt.Sprintf("%s (%s), %s", t.Clang, t.Version, t.why(name))
		if t.typedPointers() {
			checks = append(checks, Check{Name: LinkCheck, OK: t.Link != "", Detail: t.Link}.install(NeedLinker, t.Major, ""))
		}
		sanitizers := Check{Name: "sanitizers of clang"}.install(NeedSanitizers, t.Major,
			" (replaying counterexamples needs it)")
		sanitizers.Detail, sanitizers.OK = t.sanitizerRuntime(ctx)
		checks = append(checks, sanitizers)
	}

	include := Check{Name: "folder of unitproof.h", Remedy: "make the user's cache folder writable, or set XDG_CACHE_HOME"}
	if dir, err := HeaderDir(); err != nil {
		include.Detail = err.Error()
	} else {
		include.Detail = dir
		base, err := cacheDir()
		include.OK = err == nil && strings.HasPrefix(dir, base) // editors cannot use a temporary folder
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

// why describes how this clang was chosen for a name in the configuration.
func (t *Toolchain) why(name string) string {
	why := "the newest installed version"
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

// sanitizerRuntime returns the path of clang's AddressSanitizer, and false if there is none.
func (t *Toolchain) sanitizerRuntime(ctx context.Context) (string, bool) {
	out, _, err := t.Run(ctx, "", t.Clang, []string{"-print-runtime-dir"}, nil)
	dir := strings.TrimSpace(string(out))
	if err != nil || dir == "" {
		return "clang does not report where its runtime is", false
	}
	// Debian has the architecture in the file name, upstream builds in the name of the folder, which clang 19 prints
	// even if it does not exist. Native runs are compiled for this machine; on macOS one library is for all.
	arch := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[runtime.GOARCH]
	for _, pattern := range []string{filepath.Join(dir, "libclang_rt.asan-"+arch+".a"),
		filepath.Join(filepath.Dir(dir), "linux", "libclang_rt.asan-"+arch+".a"),
		filepath.Join(filepath.Dir(dir), arch+"*", "libclang_rt.asan*.a"),
		filepath.Join(dir, "libclang_rt.asan_osx_dynamic.dylib")} {
		if found, _ := filepath.Glob(pattern); len(found) > 0 {
			return found[0], true
		}
	}
	return "no libclang_rt.asan for this machine (" + arch + ") in " + dir, false
}
