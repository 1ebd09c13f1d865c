package clang

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/unitproof/unitproof/pipeline/cache"
	"github.com/unitproof/unitproof/pipeline/cflags"
	"github.com/unitproof/unitproof/pipeline/clang/quantifier"
	"github.com/unitproof/unitproof/pipeline/ir"
	"github.com/unitproof/unitproof/pipeline/lazyregexp"
	"github.com/unitproof/unitproof/pipeline/regular"
	"github.com/unitproof/unitproof/vcgen/found"
)

// Unit is a C file with its flags and the working directory of its compilation. Relative paths in the flags and the
// file's name refer to that directory ("" = the directory of the process).
type Unit struct {
	File  string
	Flags []string
	Dir   string
}

// path returns the absolute path of the file.
func (u Unit) path() string {
	return absolute(u.File, u.Dir)
}

// ours follow the user's flags.
//
//   - -O1 without passes generates lifetimes, C99 inline bodies and `declare !dbg`, which -O0 does not.
//   - -fno-builtin-abs leaves abs(INT_MIN) to the model, and -fno-builtin-memcpy keeps calls of the user's own memcpy
//     (copies of structures stay llvm.memcpy).
//   - __NO_INLINE__ disables libc's inline bodies, which would cause findings in its headers.
//   - __UNITPROOF__ makes unitproof.h expand its clauses of contracts.
//   - -fno-strict-aliasing only saves metadata that no analysis uses.
var ours = []string{
	"-S", "-emit-llvm", "-g", "-O1", "-Xclang", "-disable-llvm-passes", "-U_FORTIFY_SOURCE", "-D__NO_INLINE__",
	"-D__UNITPROOF__",
	"-ffp-contract=off", "-fno-discard-value-names", "-fno-strict-aliasing", "-fno-builtin-abs", "-fno-builtin-labs",
	"-fno-builtin-llabs",
	"-fno-builtin-memcpy", "-fno-builtin-memmove", "-fno-builtin-memset", "-fno-builtin-bzero", "-fno-builtin-mempcpy",
	"-fno-sanitize-recover=all", "-w", "-Wno-error=return-type", "-Qunused-arguments",
	"-fno-color-diagnostics", "-fno-caret-diagnostics", "-fno-diagnostics-show-option",
}

// oursSince has further options, by the version of clang that requires them:
//
//   - A call of an undeclared function is an error from that version on. Older versions accept it, and its meaning is
//     clear: the function returns `int` and has unknown parameters (C89).
//   - Newer versions treat all arrays at the end of a struct as flexible array members. As with version 14, only arrays
//     of no or one element are flexible here.
//   - Calls of modf are left to the model; newer versions make an intrinsic of them.
var oursSince = []struct {
	major   int
	options []string
}{
	{15, []string{"-Wno-error=int-conversion", "-fstrict-flex-arrays=1"}},
	{16, []string{"-Wno-error=implicit-function-declaration", "-Wno-error=implicit-int",
		"-Wno-error=incompatible-function-pointer-types"}},
	{19, []string{"-Wno-error=return-mismatch"}},
	{20, []string{"-Wno-error=incompatible-pointer-types"}},
	{21, []string{"-fno-builtin-modf", "-fno-builtin-modff", "-fno-builtin-modfl"}},
}

// ours returns our options for this version of clang.
func (t *Toolchain) ours() []string {
	options := slices.Clone(ours)
	for _, since := range oursSince {
		if t.Major >= since.major {
			options = append(options, since.options...)
		}
	}
	return options
}

// compiled is the assembly of one unit, with its inputs.
type compiled struct {
	text    []byte   // nil: in the store, see textOf
	sum     [32]byte // hash of the text
	files   []string // absolute
	library []string // functions that it defines and that clang would evaluate itself, see libraryOf
	notes   []found.Assumption
}

// compilation is the state of one Build.
type compilation struct {
	*Toolchain
	request *Request
	headers string // folder of unitproof.h
	dir     string // for temporary files
	overlay *overlay
	glance  glance // of the cache

	noBuiltin  []string // see ownLibrary
	allStatics bool     // also compile static functions without callers
}

// compile runs clang on one unit, or returns the cached result.
func (c *compilation) compile(ctx context.Context, u Unit, index int) (*compiled, error) {
	return c.compileWith(ctx, u, index, true)
}

// textOf returns the text of a compiled unit. If the store has lost the text, the unit is compiled again.
func (c *compilation) textOf(ctx context.Context, u Unit, index int, r *compiled) ([]byte, error) {
	if r.text == nil {
		if text, ok := c.request.Store.Get(cache.Units, textKey(r.sum)); ok {
			return text, nil
		}
		again, err := c.compileWith(ctx, u, index, false)
		if err != nil {
			return nil, err
		}
		*r = *again
	}
	return r.text, nil
}

func (c *compilation) compileWith(ctx context.Context, u Unit, index int, lookUp bool) (*compiled, error) {
	if u.Dir != "" {
		if info, err := os.Stat(u.Dir); err != nil || !info.IsDir() {
			return nil, &CompileError{Stage: "compile", Files: []string{u.path()},
				Diagnostics: []Diagnostic{{File: u.path(), Severity: "error",
					Message: fmt.Sprintf("the working directory %s does not exist", u.Dir)}}}
		}
	}
	user, args, dropped := c.arguments(u)
	known := c.unitCache(u, user, args, dropped)
	if lookUp {
		if result := known.load(); result != nil {
			return result, nil
		}
	}
	begin := time.Now()
	result := &compiled{}
	var err error
	if kind := ir.KindOf(u.File); kind != ir.C {
		result.notes = compiledElsewhere(u, kind)
		result.text, result.files, err = c.foreign(ctx, u, index, kind)
	} else {
		result.text, result.files, user, err = c.clang(ctx, u, user, args, index, &dropped, &result.notes)
		if err == nil {
			err = c.wideIndices(ctx, u, slices.Concat(user, args), result)
		}
	}
	if err != nil {
		return nil, err
	}
	for _, option := range dropped {
		result.notes = append(result.notes, found.Assumption{What: found.DroppedOption, Name: option,
			At: found.Pos{File: u.path()}})
	}
	if n, ok := c.ndebug(u, user); ok && ir.KindOf(u.File) == ir.C {
		result.notes = append(result.notes, n)
	}
	result.sum, result.library = sha256.Sum256(result.text), libraryOf(result.text)
	known.store(result, begin)
	return result, nil
}

// arguments returns the user's flags for clang, our arguments, and the dropped flags of the user.
func (c *compilation) arguments(u Unit) (user, args, dropped []string) {
	if kind := ir.KindOf(u.File); kind != ir.C {
		return nil, c.foreignArguments(kind), nil
	}
	user, dropped = cflags.Filter(u.Flags)
	user, library := targetFlags(user, c.headers)
	args = slices.Concat(c.ours(), []string{"-isystem", c.headers}, library)
	if s := sanitizeFlag(c.request.Checks); s != "" {
		args = append(args, s)
	}
	args = append(args, c.noBuiltin...)
	if c.allStatics {
		args = append(args, "-femit-all-decls")
	}
	return user, args, dropped
}

// attempt is the state of the compilation of a unit, which may need several starts of clang.
type attempt struct {
	*compilation
	u          Unit
	user, more []string // flags: the user's, and those of dialects
	laid       *overlay
	k          conflicts
	guessed    bool // more and laid are guesses from the text
}

// withoutGuess returns to what the file says.
func (a *attempt) withoutGuess() { a.more, a.k, a.laid, a.guessed = nil, conflicts{}, a.overlay, false }

// clang runs clang until no removable obstacle is left: it drops and records unknown options, extends the overlay by
// files that were read around it, and declares names that other compilers know without a declaration (see dialect).
func (c *compilation) clang(ctx context.Context, u Unit, user, args []string, index int, dropped *[]string,
	notes *[]found.Assumption) (text []byte, files, used []string, err error) {
	dep := filepath.Join(c.dir, fmt.Sprintf("unit%d.d", index))
	file, err := c.input(u)
	if err != nil {
		return nil, nil, nil, err
	}
	a := attempt{compilation: c, u: u, user: user, laid: c.overlay}
	tried := false // to compile it as a unit with contracts
	contracts := c.mentionsContract(u)
	reached := c.reached(u, user)
	a.more = c.guessDialect(reached)
	a.guessed = a.more != nil
	if o := a.k.guess(c, reached, user); o != nil && !contracts {
		a.laid, a.guessed = o, true
	}
	for {
		var lost []string
		a.user, lost = c.withoutRejected(a.user)
		*dropped = append(*dropped, lost...)
		overlay, err := a.laid.flags()
		if err != nil {
			return nil, nil, nil, err
		}
		if contracts {
			text, files, err := c.contracted(ctx, u, a.user, args, overlay, file, dep, notes)
			var wrong *CompileError
			if errors.As(err, &wrong) && c.reject(wrong.Output, a.user) {
				continue
			}
			if err != nil || text != nil {
				return text, files, a.user, err
			}
			contracts, tried = false, true
		}
		out, stderr, err := c.Run(ctx, u.Dir, c.Clang,
			slices.Concat(a.more, a.user, args, overlay, []string{"-MD", "-MF", dep, "-MT", "unit", "-o", "-", file}), nil)
		if s, broke := crash(err, stderr); broke && ctx.Err() == nil {
			return nil, nil, nil, &SignalError{s}
		}
		if err == nil || ctx.Err() == nil && Exited(err) {
			complaint := ""
			if err != nil {
				complaint = string(stderr)
			}
			if !tried && c.needsContracts(u, out, complaint) {
				contracts, tried = true, true
				continue
			}
			if a.speak(out, complaint, notes) {
				continue
			}
		}
		switch {
		case err == nil:
			files, err := c.dependencies(dep, u)
			if err != nil {
				return nil, nil, nil, err
			}
			if a.laid.addAliases(files) {
				continue
			}
			if a.guessed && a.more != nil && c.headerAsks(u, files) {
				a.withoutGuess()
				continue
			}
			if a.laid != c.overlay {
				var ok bool
				if out, ok = a.k.restore(out); !ok {
					return nil, nil, nil, a.k.original()
				}
				*notes = append(*notes, a.k.notes...)
			}
			said, err := c.pragmas(ctx, u, slices.Concat(a.more, a.user, args, overlay), file, files)
			if err != nil {
				return nil, nil, nil, err
			}
			*notes = append(*notes, said...)
			return out, files, a.user, nil
		case ctx.Err() != nil || !Exited(err):
			return nil, nil, nil, processError(ctx, "compile", err, nil)
		case c.reject(string(stderr), a.user):
			continue
		}
		if wrong := a.mend(ctx, stderr, overlay); wrong != nil {
			return nil, nil, nil, wrong
		}
	}
}

// speak adds the flags of a dialect that the unit turns out to be written in, and reports whether there are any.
func (a *attempt) speak(out []byte, complaint string, notes *[]found.Assumption) bool {
	further, note := a.dialect(a.u, out, complaint, a.more)
	if further == nil {
		return false
	}
	a.more = append(a.more, further...)
	if note != nil {
		*notes = append(*notes, *note)
	}
	if quantifier.Mentioned([]byte(complaint)) { // the message has both problems
		if o := a.k.patch(a.compilation, a.u, complaint); o != nil {
			a.laid = o
		}
	}
	return true
}

// mend changes the attempt so that an error of clang may not occur again. It returns the error if nothing is left to
// try.
func (a *attempt) mend(ctx context.Context, stderr []byte, overlay []string) *CompileError {
	// The error requires another start of clang, and may not be needed.
	flags := slices.Concat(a.more, a.user)
	complain := sync.OnceValue(func() *CompileError { return a.compileError(ctx, a.u, flags, overlay, string(stderr)) })
	// The editor's text may not have this error.
	if !a.guessed && len(a.overlay.texts) > 0 && a.laid.addAliases(complain().Files) {
		return nil
	}
	if !a.guessed || patchable(stderr) {
		if a.k.original == nil {
			a.k.original = complain
		}
		if o := a.k.patch(a.compilation, a.u, string(stderr)); o != nil {
			a.laid = o
			return nil
		}
	}
	if a.guessed { // the guess may be wrong
		a.withoutGuess()
		return nil
	}
	if a.laid != a.overlay {
		complain = a.k.original
	}
	return complain()
}

// dependencies returns the files that clang has read, from its rule for make.
func (c *compilation) dependencies(dep string, u Unit) (files []string, err error) {
	rule, err := os.ReadFile(dep)
	if err != nil {
		return nil, fmt.Errorf("compile %s: %w", u.File, err)
	}
	for _, f := range parseDepfile(string(rule)) {
		if path := absolute(f, u.Dir); !c.temporary(path) {
			files = append(files, path)
		}
	}
	return files, nil
}

// compileError returns the diagnostics of clang as an error. A failed compilation leaves no list of files, so it runs
// clang again to list each header that it opens.
func (c *compilation) compileError(ctx context.Context, u Unit, user, overlay []string, stderr string) *CompileError {
	e := &CompileError{Stage: "compile", Output: stderr, Diagnostics: parseDiagnostics(stderr, u.path(), u.Dir),
		Files: []string{u.path()}}
	e.Diagnostics = slices.DeleteFunc(e.Diagnostics, func(d Diagnostic) bool { return d.Severity == "warning" })
	// clang may have crashed
	if !slices.ContainsFunc(e.Diagnostics, func(d Diagnostic) bool { return d.Severity == "error" }) {
		first, _, _ := strings.Cut(strings.TrimSpace(stderr), "\n")
		e.Diagnostics = append(e.Diagnostics, Diagnostic{File: u.path(), Severity: "error", Message: "clang failed: " +
			first})
	}
	file, err := c.input(u)
	if err != nil {
		return e
	}
	user, library := targetFlags(user, c.headers)
	args := slices.Concat(user, overlay, []string{"-w", "-H", "-fsyntax-only", "-isystem", c.headers, file}, library)
	_, out, _ := c.Run(ctx, u.Dir, c.Clang, args, nil)
	for line := range strings.Lines(string(out)) {
		if header, ok := strings.CutPrefix(strings.TrimLeft(line, "."), " "); ok && line[0] == '.' {
			e.Files = append(e.Files, absolute(strings.TrimSuffix(header, "\n"), u.Dir))
		}
	}
	for _, d := range e.Diagnostics {
		if name, ok := strings.CutSuffix(d.Message, "' file not found"); ok { // list the paths at which it may appear
			name = strings.TrimPrefix(name, "'")
			for _, folder := range append(includeDirs(user), filepath.Dir(d.File)) {
				e.Files = append(e.Files, absolute(name, absolute(folder, u.Dir)))
			}
		}
	}
	slices.Sort(e.Files)
	e.Files = slices.Compact(e.Files)
	return e
}

// refusals match clang's messages about refused options, with the option or its value in quotes.
var refusals = []*lazyregexp.Regexp{
	lazyregexp.New(`unknown argument: '([^']+)'`),
	lazyregexp.New(`unknown argument '([^']+)'`),
	lazyregexp.New(`unsupported option '([^']+)'`),
	lazyregexp.New(`unsupported argument '[^']*' to option '([^']+)'`),
	lazyregexp.New(`invalid value '[^']*' in '([^']+)'`),
	lazyregexp.New(`invalid argument '([^']+)'`),
	lazyregexp.New(`unknown target CPU '([^']+)'`),
	lazyregexp.New(`error: option '([^']+)' `),
}

// reject stores the user's options that clang complains about, and reports whether there are any.
func (t *Toolchain) reject(stderr string, user []string) bool {
	found := false
	for _, r := range refusals {
		for _, m := range r.FindAllStringSubmatch(stderr, -1) {
			for _, f := range user {
				if f == m[1] || strings.HasSuffix(m[1], "=") && strings.HasPrefix(f, m[1]) || strings.HasPrefix(f, "-m") &&
					strings.HasSuffix(f, "="+m[1]) {
					t.rejected.Store(f, struct{}{})
					found = true // even if another unit has found it in the meantime
				}
			}
		}
	}
	return found
}

func (t *Toolchain) withoutRejected(flags []string) (accepted, lost []string) {
	for _, f := range flags {
		if _, bad := t.rejected.Load(f); bad {
			lost = append(lost, f)
		} else {
			accepted = append(accepted, f)
		}
	}
	return accepted, lost
}

// headerDefinesNDEBUG reports whether a header that a file includes by a quoted name, beside the file, defines NDEBUG.
func (c *compilation) headerDefinesNDEBUG(file string, text []byte) bool {
	for _, include := range quotedInclude.FindAllSubmatch(text, -1) {
		header, err := c.read(filepath.Join(filepath.Dir(file), string(include[1])))
		if err == nil && defineNDEBUG.Match(header) {
			return true
		}
	}
	return false
}

var quotedInclude = lazyregexp.New(`(?m)^[ \t]*#[ \t]*include[ \t]+"([^"\n]+)"`)

var defineNDEBUG = lazyregexp.New(`(?m)^[ \t]*#[ \t]*define[ \t]+NDEBUG\b`)

// ndebug reports whether assert() is disabled, with the note about it: a missing assertion proves nothing.
func (c *compilation) ndebug(u Unit, flags []string) (found.Assumption, bool) {
	n := found.Assumption{What: found.NoAssert, At: found.Pos{File: u.path()}}
	if definesNDEBUG(flags) {
		return n, true
	}
	text, err := c.read(u.path())
	if err != nil {
		return n, false
	}
	at := defineNDEBUG.FindIndex(text)
	if at == nil {
		return n, c.headerDefinesNDEBUG(u.path(), text)
	}
	n.At.Line = 1 + strings.Count(string(text[:at[0]]), "\n") + strings.Count(string(text[at[0]:at[1]]), "\n")
	return n, true
}

// read returns the content of a file as the compilation sees it.
func (c *compilation) read(path string) ([]byte, error) {
	if text, ok := c.overlay.text(path); ok {
		return text, nil
	}
	return regular.Source(path)
}

// input returns the file name to pass to clang. The driver requires an existing file, so a buffer that was never saved
// is included from a temporary file. So is a header: the driver would precompile it.
func (c *compilation) input(u Unit) (string, error) {
	file := u.File
	if strings.HasPrefix(file, "-") {
		file = "./" + file
	}
	text, virtual := c.overlay.text(u.path())
	_, err := os.Stat(u.path())
	switch header := strings.EqualFold(filepath.Ext(file), ".h"); {
	case err == nil && !header, err != nil && !virtual:
		return file, nil
	}
	main := filepath.Join(c.dir, fmt.Sprintf("%x.c", hashOf(append([]byte(u.path()), text...))))
	quoted := strings.NewReplacer("\\", "\\\\", "\"", "\\\"").Replace(u.path())
	if err := os.WriteFile(main, fmt.Appendf(nil, "#include \"%s\"\n", quoted), 0o600); err != nil {
		return "", fmt.Errorf("unsaved text of %s: %w", u.File, err)
	}
	return main, nil
}
