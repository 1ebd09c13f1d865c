package clang

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Unit is a C file with the flags it is compiled with, and the working directory of that
// compilation, which relative paths in the flags and the file's name refer to ("" = the process's).
type Unit struct {
	File  string
	Flags []string
	Dir   string
}

// path is the absolute path of the file.
func (u Unit) path() string {
	return absolute(u.File, u.Dir)
}

// Note is something that was assumed, or given up, on the way to the module.
type Note struct {
	Kind    string // "ndebug" or "option-dropped"
	Message string
	File    string
	Line    int
}

// ours come after the user's flags. -O1 without passes gives lifetimes, C99 inline bodies and
// `declare !dbg`, which -O0 does not. -fno-builtin-abs leaves INT_MIN to the model to judge, and
// __NO_INLINE__ keeps libc's own inline bodies out, which would put findings into its headers.
// -fno-strict-aliasing only saves the metadata of an analysis that nobody runs.
var ours = []string{
	"-S", "-emit-llvm", "-g", "-O1", "-Xclang", "-disable-llvm-passes", "-U_FORTIFY_SOURCE", "-D__NO_INLINE__",
	"-ffp-contract=off", "-fno-discard-value-names", "-fno-strict-aliasing", "-fno-builtin-abs", "-fno-builtin-labs", "-fno-builtin-llabs",
	"-fno-sanitize-recover=all", "-w", "-Qunused-arguments",
	"-fno-color-diagnostics", "-fno-caret-diagnostics", "-fdiagnostics-absolute-paths", "-fno-diagnostics-show-option",
}

// compiled is one unit's assembly and what it was made from.
type compiled struct {
	text  []byte
	files []string // absolute
	notes []Note
}

// compile runs clang on one unit. Options that clang does not know are dropped, one round for each
// set it complains about, and remembered.
func (t *Toolchain) compile(ctx context.Context, u Unit, checks map[string]bool, headers, dir string, index int) (*compiled, error) {
	if u.Dir != "" {
		if info, err := os.Stat(u.Dir); err != nil || !info.IsDir() {
			return nil, &CompileError{Stage: "compile", Files: []string{u.path()}, Diagnostics: []Diagnostic{{File: u.path(), Severity: "error",
				Message: fmt.Sprintf("the working directory %s does not exist", u.Dir)}}}
		}
	}
	c := &compiled{}
	user, dropped := filterFlags(u.Flags, u.Dir)
	dep := filepath.Join(dir, fmt.Sprintf("unit%d.d", index))
	file := u.File
	if strings.HasPrefix(file, "-") {
		file = "./" + file
	}
	var out, stderr []byte
	for {
		var lost []string
		if user, lost = t.withoutRejected(user); lost != nil {
			dropped = append(dropped, lost...)
		}
		args := slices.Concat(user, ours, []string{"-isystem", headers, "-MD", "-MF", dep, "-MT", "unit"})
		if s := sanitizeFlag(checks); s != "" {
			args = append(args, s)
		}
		args = append(args, "-o", "-", file)
		var err error
		out, stderr, err = run(ctx, u.Dir, t.Clang, args, nil)
		if err == nil {
			break
		}
		var exit *exec.ExitError
		if ctx.Err() != nil || !errors.As(err, &exit) {
			return nil, processError(ctx, "compile", err, nil)
		}
		if t.reject(string(stderr), user) {
			continue
		}
		return nil, t.compileError(ctx, u, user, headers, string(stderr))
	}
	c.text = out
	for _, option := range dropped {
		c.notes = append(c.notes, Note{Kind: "option-dropped", Message: fmt.Sprintf("the option %s was dropped", option), File: u.path()})
	}
	if n, ok := ndebug(u, user); ok {
		c.notes = append(c.notes, n)
	}
	text, err := os.ReadFile(dep)
	if err != nil {
		return nil, fmt.Errorf("compile %s: %w", u.File, err)
	}
	for _, f := range parseDepfile(string(text)) {
		c.files = append(c.files, absolute(f, u.Dir))
	}
	return c, nil
}

// compileError collects what clang said, and, since a failed compilation leaves no list of files,
// asks for one with missing headers allowed.
func (t *Toolchain) compileError(ctx context.Context, u Unit, user []string, headers, stderr string) error {
	e := &CompileError{Stage: "compile", Output: stderr, Diagnostics: parseDiagnostics(stderr, u.path(), u.Dir), Files: []string{u.path()}}
	e.Diagnostics = slices.DeleteFunc(e.Diagnostics, func(d Diagnostic) bool { return d.Severity == "warning" })
	if !slices.ContainsFunc(e.Diagnostics, func(d Diagnostic) bool { return d.Severity == "error" }) { // it crashed, perhaps
		first, _, _ := strings.Cut(strings.TrimSpace(stderr), "\n")
		e.Diagnostics = append(e.Diagnostics, Diagnostic{File: u.path(), Severity: "error", Message: "clang failed: " + first})
	}
	if _, err := os.Stat(u.path()); err != nil {
		return e
	}
	args := slices.Concat(user, []string{"-w", "-M", "-MG", "-MT", "unit", "-isystem", headers, u.path()})
	out, _, err := run(ctx, u.Dir, t.Clang, args, nil)
	if err != nil {
		return e
	}
	for _, f := range parseDepfile(string(out)) {
		if path := absolute(f, u.Dir); path != u.path() {
			e.Files = append(e.Files, path)
		}
		if _, err := os.Stat(absolute(f, u.Dir)); err != nil && !filepath.IsAbs(f) { // looked for in vain
			for _, d := range append(includeDirs(user), filepath.Dir(u.path())) {
				e.Files = append(e.Files, absolute(f, absolute(d, u.Dir)))
			}
		}
	}
	slices.Sort(e.Files)
	e.Files = slices.Compact(e.Files)
	return e
}

// includeDirs are the folders the flags add to the search for headers, as written.
func includeDirs(flags []string) []string {
	var dirs []string
	for i, f := range flags {
		for _, option := range []string{"-isystem", "-iquote", "-idirafter", "-I"} {
			if rest, ok := strings.CutPrefix(f, option); ok {
				if rest == "" && i+1 < len(flags) {
					rest = flags[i+1]
				}
				dirs = append(dirs, strings.TrimPrefix(rest, "="))
				break
			}
		}
	}
	return dirs
}

// The ways clang refuses an option, with the option or its value in quotes.
var refusals = []*regexp.Regexp{
	regexp.MustCompile(`unknown argument: '([^']+)'`),
	regexp.MustCompile(`unknown argument '([^']+)'`),
	regexp.MustCompile(`unsupported option '([^']+)'`),
	regexp.MustCompile(`unsupported argument '[^']*' to option '([^']+)'`),
	regexp.MustCompile(`invalid value '[^']*' in '([^']+)'`),
	regexp.MustCompile(`invalid argument '([^']+)'`),
	regexp.MustCompile(`unknown target CPU '([^']+)'`),
	regexp.MustCompile(`error: option '([^']+)' `),
}

// reject remembers the user's options that clang complains about; false if there was none.
func (t *Toolchain) reject(stderr string, user []string) bool {
	found := false
	for _, r := range refusals {
		for _, m := range r.FindAllStringSubmatch(stderr, -1) {
			for _, f := range user {
				if f == m[1] || strings.HasSuffix(m[1], "=") && strings.HasPrefix(f, m[1]) || strings.HasPrefix(f, "-m") && strings.HasSuffix(f, "="+m[1]) {
					if _, known := t.rejected.LoadOrStore(f, struct{}{}); !known {
						found = true
					}
				}
			}
		}
	}
	return found
}

func (t *Toolchain) withoutRejected(flags []string) (kept, lost []string) {
	for _, f := range flags {
		if _, bad := t.rejected.Load(f); bad {
			lost = append(lost, f)
		} else {
			kept = append(kept, f)
		}
	}
	return kept, lost
}

var defineNDEBUG = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*define[ \t]+NDEBUG\b`)

// ndebug says whether assert() is switched off: an assertion that is not there proves nothing.
func ndebug(u Unit, flags []string) (Note, bool) {
	n := Note{Kind: "ndebug", Message: "NDEBUG is defined: assert() checks nothing", File: u.path()}
	if definesNDEBUG(flags) {
		return n, true
	}
	text, err := os.ReadFile(u.path())
	if err != nil {
		return n, false
	}
	at := defineNDEBUG.FindIndex(text)
	if at == nil {
		return n, false
	}
	n.Line = 1 + strings.Count(string(text[:at[0]]), "\n") + strings.Count(string(text[at[0]:at[1]]), "\n")
	return n, true
}
