package clang

import (
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

	"github.com/unitproof/unitproof/pipeline/cache"
	"github.com/unitproof/unitproof/pipeline/lazyregexp"
)

// Major is the version of LLVM that is supported: the last one whose assembly has typed pointers
// by default, which the reader of the engine needs.
const Major = 14

// Toolchain holds the programs that were found. Clang and Link are always set by [Find]; Opt and
// Dis are needed by nothing but `doctor` and people, and are empty when absent.
type Toolchain struct {
	Clang, Link, Opt, Dis string
	Version               string // first line of `clang --version`

	// rejected remembers the options that clang did not know, so that they are tried only once
	// for all the files of a compilation database.
	rejected       sync.Map // string -> struct{}
	compiledModels sync.Map // key -> *assembly, never changed
	hashes         fileHashes
	included       namesIncluded
	starts         starts
}

// Find locates clang and its companions. The argument is a name or a path, "" is "clang-14"; that
// default falls back to the names other systems give version 14. Errors say what to install.
func Find(ctx context.Context, clang string) (*Toolchain, error) {
	candidates, remedy := []string{clang},
		"name a clang 14 by the key clang of [compile] in unitproof.toml, or leave it out"
	if clang == "" || clang == "clang-14" {
		candidates = []string{"clang-14", "/usr/lib/llvm-14/bin/clang", "/usr/local/opt/llvm@14/bin/clang",
			"/opt/homebrew/opt/llvm@14/bin/clang", "clang14", "clang"}
		remedy = "install the package clang-14"
	}
	var wrong error
	for _, name := range candidates {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		if path, err = filepath.Abs(path); err != nil {
			return nil, err
		}
		version, err := clangVersion(ctx, path)
		if err != nil {
			return nil, err
		}
		if major(version) != Major {
			if wrong == nil {
				wrong = fmt.Errorf("%s is %q, but version %d is needed: %s", path, version, Major, remedy)
			}
			continue
		}
		t := &Toolchain{Clang: path, Version: version}
		t.Link, t.Opt, t.Dis = companion(path, "llvm-link"), companion(path, "opt"), companion(path, "llvm-dis")
		if t.Link == "" {
			return nil, fmt.Errorf("llvm-link-14 was not found beside %s or in PATH: install the package llvm-14", path)
		}
		return t, nil
	}
	if wrong != nil {
		return nil, wrong
	}
	return nil, fmt.Errorf("%s was not found: %s", candidates[0], remedy)
}

// companion finds an LLVM tool: beside clang, beside what clang is a link to, or in PATH.
func companion(clang, tool string) string {
	versioned := fmt.Sprintf("%s-%d", tool, Major)
	places := []string{filepath.Join(filepath.Dir(clang), versioned)}
	if real, err := filepath.EvalSymlinks(clang); err == nil {
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
	n, _ := strconv.Atoi(m[1])
	return n
}

// clangVersion asks clang, or the memo in the cache folder: starting clang costs as much as
// compiling a small file. The memo is keyed by the file that would run and its time of change.
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
		if data, err := os.ReadFile(memo); err == nil && major(string(data)) != 0 {
			return string(data), nil
		}
	}
	cmd := exec.CommandContext(ctx, path, "--version")
	cmd.Env = environment()
	out, err := cmd.Output()
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
		_ = cache.WriteFile(memo, []byte(version)) // only a memo
	}
	return version, nil
}

// environment is the caller's without what would change clang's behaviour behind our back, and
// with messages in English, which are parsed.
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
