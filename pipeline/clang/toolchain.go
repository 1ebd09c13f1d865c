package clang

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/unitproof/unitproof/pipeline/cache"
	"github.com/unitproof/unitproof/pipeline/lazyregexp"
)

// OldestMajor and NewestMajor are the oldest and newest version of clang with which all marked programs were checked.
// The version untried in between was not available.
const (
	OldestMajor = 14
	NewestMajor = 23
	untried     = 20
)

// oldPromises is the last version that does not know the attributes that [ir.WithoutNewerPromises] removes.
const oldPromises = 19

// Variable is the environment variable with the clang to use if no setting names one.
const Variable = "UNITPROOF_CLANG"

// Toolchain has the programs that were found. [Find] always sets Clang, and Link if pointers have types; only `doctor`
// and users need Opt and Dis. Missing programs are empty.
type Toolchain struct {
	Clang, Link, Opt, Dis string
	Version               string // first line of `clang --version`
	Major                 int    // of the version

	// rejected has the options that clang did not know, so that they are tried only once for all files of a compilation
	// database.
	rejected       sync.Map // string -> struct{}
	compiledModels sync.Map // key -> *assembly, never changed
	hashes         fileHashes
	included       namesIncluded
	starts         starts
}

// Find locates clang and its companions. The argument is a name or a path. For "" it takes the clang that [Variable]
// names or the first tested version in Candidates; without a tested version, the first untested one. Errors contain the
// package to install.
func Find(ctx context.Context, clang string) (*Toolchain, error) {
	if clang = cmp.Or(clang, os.Getenv(Variable)); clang != "" {
		return choose(ctx, clang, []string{clang}, func() string {
			return fmt.Sprintf("name a clang of version %d to %d by the key clang of [compile] in unitproof.toml, "+
				"or leave it out", OldestMajor, NewestMajor)
		})
	}
	return choose(ctx, "", append(Candidates(), tooOld()...), func() string {
		_, sentence := Advise(NeedCompiler, 0)
		return sentence
	})
}

// choose returns the first of the candidates that Find accepts, for the name that the user gave.
func choose(ctx context.Context, clang string, candidates []string, remedy func() string) (*Toolchain, error) {
	var other *Toolchain
	var wrong error
	for _, name := range candidates {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		if path, err = filepath.Abs(path); err != nil {
			return nil, err
		}
		t := &Toolchain{Clang: path}
		if t.Version, err = clangVersion(ctx, path); err != nil {
			return nil, err
		}
		t.Major = major(t.Version)
		switch {
		case t.Major < OldestMajor:
			if wrong == nil {
				wrong = fmt.Errorf("%s is %q, but version %d or newer is needed: %s", path, t.Version, OldestMajor, remedy())
			}
			continue
		case !t.Tested() && clang == "":
			if other == nil {
				other = t
			}
			continue
		}
		if err := t.findCompanions(); err != nil {
			return nil, err
		}
		return t, nil
	}
	switch {
	case other != nil:
		return other, other.findCompanions()
	case wrong != nil:
		return nil, wrong
	case clang == "":
		return nil, fmt.Errorf("no clang of version %d to %d was found: %s", OldestMajor, NewestMajor, remedy())
	}
	return nil, fmt.Errorf("%s was not found: %s", clang, remedy())
}

// Candidates returns the names and paths of clang on various systems, in the order in which they are tried: Debian's,
// Fedora's and FreeBSD's, Homebrew's, and last the system's default.
func Candidates() []string {
	var names []string
	for n := NewestMajor; n >= OldestMajor; n-- {
		names = append(names, fmt.Sprintf("clang-%d", n), fmt.Sprintf("/usr/lib/llvm-%d/bin/clang", n),
			fmt.Sprintf("clang%d", n))
		names = append(names, ofHomebrew(fmt.Sprintf("llvm@%d", n))...)
	}
	return append(append(names, "clang"), ofHomebrew("llvm")...)
}

// tooOld returns the names of the programs of refused versions. They are tried last. Debian and Ubuntu have no program
// "clang" beside them, so without these names the refusal would say that clang is missing.
func tooOld() []string {
	var names []string
	for n := OldestMajor - 1; n >= 7; n-- { // before that, names have two numbers
		names = append(names, fmt.Sprintf("clang-%d", n))
	}
	return names
}

// ofHomebrew returns the paths of clang in a formula of Homebrew, on macOS with either processor and on Linux.
// Formulas of one version are keg-only, and so is llvm on macOS: their programs are not in PATH.
func ofHomebrew(formula string) []string {
	var paths []string
	for _, prefix := range []string{"/usr/local", "/opt/homebrew", "/home/linuxbrew/.linuxbrew"} {
		paths = append(paths, filepath.Join(prefix, "opt", formula, "bin/clang"))
	}
	return paths
}

// Programs returns the paths of all programs that [Find] would try for a name, in its order.
func Programs(clang string) []string {
	candidates := []string{cmp.Or(clang, os.Getenv(Variable))}
	if candidates[0] == "" {
		candidates = Candidates()
	}
	var paths []string
	for _, name := range candidates {
		if path, err := exec.LookPath(name); err == nil {
			paths = append(paths, path)
		}
	}
	return paths
}

// Tested reports whether this program was tested with this version of clang.
func (t *Toolchain) Tested() bool {
	return OldestMajor <= t.Major && t.Major <= NewestMajor && t.Major != untried
}

// typedPointers reports whether clang's assembly has pointee types.
func (t *Toolchain) typedPointers() bool { return t.Major < 15 }

// findCompanions finds the other tools. Only llvm-link is required, for versions with typed pointers.
func (t *Toolchain) findCompanions() error {
	t.Link, t.Opt, t.Dis = t.companion("llvm-link"), t.companion("opt"), t.companion("llvm-dis")
	if t.Link == "" && t.typedPointers() {
		_, remedy := Advise(NeedLinker, t.Major)
		return fmt.Errorf("llvm-link-%d was not found beside %s or in PATH, and a newer clang needs none: %s", t.Major,
			t.Clang, remedy)
	}
	return nil
}

// companion finds an LLVM tool: beside clang, beside the target of clang's link, or in PATH.
func (t *Toolchain) companion(tool string) string {
	versioned := fmt.Sprintf("%s-%d", tool, t.Major)
	places := []string{filepath.Join(filepath.Dir(t.Clang), versioned)}
	if real, err := filepath.EvalSymlinks(t.Clang); err == nil {
		places = append(places, filepath.Join(filepath.Dir(real), versioned), filepath.Join(filepath.Dir(real), tool))
	}
	places = append(places, versioned)
	for _, p := range places {
		if path, err := exec.LookPath(p); err == nil {
			return path
		}
	}
	return ""
}

var majorPattern = lazyregexp.New(`version (\d+)\.`)

func major(version string) int {
	m := majorPattern.FindStringSubmatch(version)
	if m == nil {
		return 0
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		return 0
	}
	return n
}

// clangVersion returns the version from clang, or from the memo in the cache folder: starting clang costs as much as
// compiling a small file. The memo's key has the resolved file and its modification time.
func clangVersion(ctx context.Context, path string) (string, error) {
	memo := ""
	if real, err := filepath.EvalSymlinks(path); err == nil {
		if info, err := os.Stat(real); err == nil {
			sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%d\n%d", path, real, info.Size(), info.ModTime().UnixNano()))
			if dir, err := toolchainDir(); err == nil {
				memo = filepath.Join(dir, fmt.Sprintf("%x", sum[:12]))
			}
		}
	}
	if memo != "" {
		if data, err := cache.ReadSummed(memo); err == nil && major(string(data)) != 0 {
			return string(data), nil
		}
	}
	limited, cancel := context.WithTimeout(ctx, versionTime)
	defer cancel()
	cmd := child(limited, path, "--version")
	cmd.Env = environment()
	out, err := cmd.Output()
	if ctx.Err() == nil && limited.Err() != nil {
		return "", fmt.Errorf("%s --version does not answer within %s", path, versionTime)
	}
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) && len(exit.Stderr) > 0 {
			return "", fmt.Errorf("%s --version: %w: %s", path, err, strings.TrimSpace(string(exit.Stderr)))
		}
		return "", fmt.Errorf("%s --version: %w", path, err)
	}
	version, _, _ := strings.Cut(string(out), "\n")
	version = strings.TrimSpace(version)
	if memo != "" {
		_ = cache.WriteSummed(memo, []byte(version)) // only a memo
	}
	return version, nil
}

// versionTime limits how long clang may take to print its version. That takes some milliseconds, but seconds if the
// libraries of clang are not in memory yet, the machine is busy, or clang is emulated.
const versionTime = 30 * time.Second

// environment returns the process environment without variables that would change clang's behaviour, and with messages
// in English, which are parsed.
func environment() []string {
	var env []string
	for _, e := range os.Environ() {
		name, _, _ := strings.Cut(e, "=")
		switch {
		case name == "CCC_OVERRIDE_OPTIONS", name == "LANG", name == "LANGUAGE", strings.HasPrefix(name, "LC_"),
			name == "DEPENDENCIES_OUTPUT", name == "SUNPRO_DEPENDENCIES", name == "CC_PRINT_OPTIONS", name == "CC_PRINT_HEADERS",
			name == "CC_LOG_DIAGNOSTICS":
			continue
		}
		env = append(env, e)
	}
	return append(env, "LC_ALL=C")
}
