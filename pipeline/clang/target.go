package clang

import (
	"embed"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/pipeline/targets"
)

// selected returns the value of the last --target in filtered flags, and whether the flags choose 32 bits of x86 or a
// root for headers.
func selected(flags []string) (triple string, narrow, rooted bool) {
	for _, f := range flags {
		if t, ok := strings.CutPrefix(f, "--target="); ok {
			triple = t
		}
		switch f {
		case "-m32":
			narrow = true
		case "-m64":
			narrow = false
		}
		rooted = rooted || strings.HasPrefix(f, "--sysroot") || strings.HasPrefix(f, "-isysroot") || f == "-nostdinc" ||
			f == "-nostdlibinc"
	}
	return triple, narrow, rooted
}

// targetFlags replaces the name of a target in filtered flags by clang's flags for it, and adds the headers that clang
// would not find: those of a cross C library, or ours if there is none. Clang itself would read the headers of this
// machine, which have other types.
func targetFlags(user []string, headers string) (flags, ours []string) {
	triple, narrow, rooted := selected(user)
	if triple == "" && !narrow {
		return user, nil
	}
	t, known := targets.Named(triple)
	if known {
		flags = slices.Clone(user)
		for i, f := range flags {
			if f == "--target="+triple {
				flags[i] = "--target=" + t.Triple
			}
		}
		for _, f := range t.Flags {
			if !slices.Contains(flags, f) {
				flags = append(flags, f)
			}
		}
		user = flags
	}
	own := []string{"-idirafter", filepath.Join(headers, freestandingName)}
	arch, _, _ := strings.Cut(triple, "-")
	switch x86 := arch == "" || arch == "x86_64" || arch == "i386" || arch == "i686"; {
	case rooted:
		return user, own
	case x86 && !slices.ContainsFunc([]string{"mingw", "windows", "none"}, func(system string) bool {
		return strings.Contains(triple, system)
	}):
		return user, x86Headers(narrow || arch == "i386" || arch == "i686", own)
	case known && t.Headers != "" && isFolder(t.Headers):
		return user, slices.Concat([]string{"-nostdlibinc", "-isystem", t.Headers}, own)
	}
	return user, append([]string{"-nostdlibinc"}, own...)
}

// x86Headers returns the flags for the headers of this machine's C library: if they lack those of 32 bits, ours are
// used instead.
func x86Headers(narrow bool, own []string) []string {
	if !narrow {
		return nil
	}
	for _, dir := range []string{"/usr/include/x86_64-linux-gnu", "/usr/include/i386-linux-gnu", "/usr/include"} {
		if _, err := os.Stat(filepath.Join(dir, "gnu", "stubs-32.h")); err == nil {
			return slices.Concat([]string{"-idirafter", dir}, own)
		}
	}
	return append([]string{"-nostdlibinc"}, own...)
}

// CrossHeader reports whether a file is a header of another machine's C library.
//
// Debian installs them in /usr/MACHINE/include; those for targets without a C library are ours.
func CrossHeader(path string) bool {
	rest, ok := strings.CutPrefix(path, "/usr/")
	machine, file, inside := strings.Cut(rest, "/")
	return ok && inside && strings.Contains(machine, "-") && strings.HasPrefix(file, "include/") ||
		strings.Contains(path, "/include-"+headersSum()+"/"+freestandingName+"/")
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// freestandingName is the folder of the headers for targets without a C library, in that of unitproof.h.
const freestandingName = "freestanding"

//go:embed freestanding
var freestanding embed.FS

// eachFreestanding calls f for the headers for targets without a C library, in a fixed order.
func eachFreestanding(f func(name string, text []byte) error) error {
	return fs.WalkDir(freestanding, freestandingName, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := freestanding.ReadFile(name)
		if err != nil {
			return err
		}
		return f(name, text)
	})
}
