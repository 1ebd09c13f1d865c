package clang

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/unitproof/unitproof/pipeline/ir"
	"github.com/unitproof/unitproof/pipeline/lazyregexp"
	"github.com/unitproof/unitproof/pipeline/regular"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/llvmir/lexer"
)

// Units that clang does not compile: LLVM assembly and bitcode, of which somebody else has decided what they contain,
// and Rust, which rustc compiles. What they become is linked, cut and read as what clang makes of C.

// RustVariable is the environment variable that names the rustc to take; without it that is the one in PATH.
const RustVariable = "UNITPROOF_RUSTC"

// rustFlags are what rustc is called with. Nothing optimizes, for the reasons of ours; all that Rust can check while a
// program runs is checked. Panics end the execution in any case, so code that unwinds is left out.
var rustFlags = []string{"--edition=2021", "--crate-type=lib", "-g", "-Copt-level=0", "-Coverflow-checks=on",
	"-Cdebug-assertions=on", "-Cpanic=abort", "-Zshare-generics=no", "-Ccodegen-units=1", "-Cno-prepopulate-passes",
	"--error-format=short",
	"--color=never", "--cap-lints=allow"}

// rustEnvironment allows -Zshare-generics=no, which is not stable: generic code that the library has compiled already,
// such as that by which a Vec<u8> grows, has a body in our module only so.
var rustEnvironment = []string{"RUSTC_BOOTSTRAP=1"}

// foreignArguments tells apart what one and the same file can become, for caches: of LLVM's own forms, that is one
// thing. Flags of C compilers mean nothing here.
func (c *compilation) foreignArguments(kind ir.Kind) []string {
	switch kind {
	case ir.Rust:
		path, version := rustc()
		return append([]string{path, version}, rustFlags...)
	case ir.Bitcode:
		return []string{c.Dis}
	}
	return nil
}

// rustc finds the compiler of Rust, and what tells it from others.
func rustc() (path, version string) {
	name := os.Getenv(RustVariable)
	if name == "" {
		name = "rustc"
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", ""
	}
	version = stamp(path)
	if real, err := filepath.EvalSymlinks(path); err == nil && filepath.Base(real) == "rustup" {
		// It starts another one: which, say these.
		home := os.Getenv("RUSTUP_HOME")
		if user, err := os.UserHomeDir(); err == nil && home == "" {
			home = filepath.Join(user, ".rustup")
		}
		version += fmt.Sprint(os.Getenv("RUSTUP_TOOLCHAIN"), stamp(filepath.Join(home, "settings.toml")),
			stamp(filepath.Join(home, "update-hashes")))
	}
	return path, version
}

// stamp tells a file or folder from what it was before, as long as that is not made to look the same. "" for none.
func stamp(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%d %d ", info.Size(), info.ModTime().UnixNano())
}

// foreign is the assembly of a unit that is not C, with the files that it was made from.
func (c *compilation) foreign(ctx context.Context, u Unit, index int, kind ir.Kind) (text []byte, files []string,
	err error) {
	files = []string{u.path()}
	switch kind {
	case ir.Rust:
		text, files, err = c.rust(ctx, u, index)
	case ir.Bitcode:
		text, err = c.disassembled(ctx, u)
	default:
		text, err = c.read(u.path())
		var large regular.TooLarge
		if errors.As(err, &large) {
			err = refused(u, 0, "%s", err)
		}
	}
	if err != nil {
		return nil, nil, err
	}
	if err := c.understood(u, kind, text); err != nil {
		return nil, nil, err
	}
	// What does nothing but to panic is executed as that, also where it is generic and has a body.
	text = ir.WithoutBodies(text, func(name string) bool {
		e := language.Lookup(name)
		return e.Dialect == language.Rust && e.Role == language.AssertFailure
	})
	if c.Major <= oldPromises {
		text = ir.WithoutNewerPromises(text)
	}
	if text = ir.WithoutUnwinding(text); ir.HasTypedPointers(text) && !c.typedPointers() {
		if text, err = ir.Opaque(text); err != nil {
			return nil, nil, refused(u, 0, "%s", err)
		}
	}
	return text, files, nil
}

// refused is the error of a unit that cannot be taken.
func refused(u Unit, line int, format string, args ...any) *CompileError {
	d := Diagnostic{File: u.path(), Line: line, Severity: "error", Message: fmt.Sprintf(format, args...)}
	if line > 0 {
		d.Column = 1
	}
	return &CompileError{Stage: "compile", Files: []string{u.path()}, Diagnostics: []Diagnostic{d}}
}

// understood tells whether the engine's reader knows every word of a text, of which lines can be told only before it is
// cut, and whether it says where in the source its code stands: findings have no other place.
func (c *compilation) understood(u Unit, kind ir.Kind, text []byte) error {
	m, err := llvmir.Read(text, llvmir.ReadOptions{})
	var wrong *lexer.SyntaxError
	switch {
	case errors.As(err, &wrong) && kind == ir.Assembly:
		return refused(u, wrong.Line, "%s, in: %s; versions %d to %d of LLVM are known", wrong.Message, wrong.Source,
			OldestMajor,
			NewestMajor)
	case err != nil:
		return refused(u, 0, "%s; versions %d to %d of LLVM are known", err, OldestMajor, NewestMajor)
	case m.OpaquePointers && c.typedPointers():
		return refused(u, 0, "its pointers have no types, as from LLVM 15 on, and those of clang %d have: name a newer one "+
			"by the key clang of [compile]", c.Major)
	}
	if f := m.FuncByName[c.request.Entry]; f != nil && len(f.Blocks) > 0 && f.Loc == nil {
		return refused(u, 0, "no debug information tells where %s comes from: compile it with -g", c.request.Entry)
	}
	return nil
}

// disassembled is the assembly of bitcode. Older versions of it can be read by newer tools, which print it as their
// own.
func (c *compilation) disassembled(ctx context.Context, u Unit) ([]byte, error) {
	if c.Dis == "" {
		return nil, refused(u, 0, "llvm-dis of version %d, which turns bitcode into assembly, was not found: install the "+
			"package llvm-%[1]d, or give FILE.ll", c.Major)
	}
	out, stderr, err := runChild(ctx, u.Dir, nil, c.Dis, "-o", "-", u.path())
	if err != nil {
		if ctx.Err() != nil || !Exited(err) {
			return nil, processError(ctx, "compile", err, nil)
		}
		first, _, _ := strings.Cut(strings.TrimSpace(string(stderr)), "\n")
		return nil, refused(u, 0, "%s: %s; bitcode of a newer LLVM needs a newer clang", filepath.Base(c.Dis), first)
	}
	return out, nil
}

// rustFolder is where rustc runs. In the folder of the file rustup would start what a rust-toolchain.toml names there,
// which may be any program: files that are looked at must not choose what is run.
const rustFolder = "/"

// rust compiles a file of Rust.
func (c *compilation) rust(ctx context.Context, u Unit, index int) (text []byte, files []string, err error) {
	path, _ := rustc()
	if path == "" {
		return nil, nil, refused(u, 0, "rustc was not found: install it (package rustc), name it by the environment "+
			"variable "+
			"%s, or give the assembly that it writes (docs/rust.md)", RustVariable)
	}
	if text, ok := c.overlay.text(u.path()); ok && text != nil {
		return nil, nil, refused(u, 0, "it has to be saved first: rustc reads files only")
	}
	crate := crateName(u.File)
	folder := filepath.Join(c.dir, fmt.Sprintf("unit%d", index)) // it leaves further files there, too
	base := filepath.Join(folder, crate)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, nil, fmt.Errorf("temporary files: %w", err)
	}
	args := append(rustFlags[:len(rustFlags):len(rustFlags)], "--crate-name="+crate, "--emit=llvm-ir,dep-info",
		"--out-dir="+folder, u.path())
	if _, stderr, err := runChild(ctx, rustFolder, rustEnvironment, path, args...); err != nil {
		if ctx.Err() != nil || !Exited(err) {
			return nil, nil, processError(ctx, "compile", err, nil)
		}
		e := &CompileError{Stage: "compile", Output: string(stderr), Files: []string{u.path()},
			Diagnostics: parseRust(string(stderr), u)}
		return nil, nil, e
	}
	if text, err = os.ReadFile(base + ".ll"); err != nil {
		return nil, nil, fmt.Errorf("compile %s: %w", u.File, err)
	}
	rule, err := os.ReadFile(base + ".d")
	if err != nil {
		return nil, nil, fmt.Errorf("compile %s: %w", u.File, err)
	}
	for _, f := range parseDepfile(string(rule)) {
		files = append(files, absolute(f, rustFolder))
	}
	return text, files, nil
}

// crateName is a name for a file that is a crate by itself.
func crateName(file string) string {
	stem, _, _ := strings.Cut(filepath.Base(file), ".")
	name := strings.Map(func(r rune) rune {
		if r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, stem)
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		return "c" + name
	}
	return name
}

var rustMessage = lazyregexp.New(`^(.+:\d+:\d+): error(?:\[E\d+\])?: (.*)$`)

// parseRust reads the messages of rustc in its short form, FILE:LINE:COLUMN: error[E0308]: TEXT. The last counts them.
func parseRust(output string, u Unit) []Diagnostic {
	var list []Diagnostic
	for line := range strings.Lines(output) {
		m := rustMessage.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if m == nil {
			continue
		}
		list = append(list, parseDiagnostics(m[1]+": error: "+m[2], u.path(), u.Dir)...)
	}
	if len(list) == 0 {
		first, _, _ := strings.Cut(strings.TrimSpace(output), "\n")
		list = append(list, Diagnostic{File: u.path(), Severity: "error", Message: "rustc failed: " + first})
	}
	return list
}

// runChild runs a program as a process of its own: no fork server, as there is for clang.
func runChild(ctx context.Context, dir string, env []string, program string, args ...string) (stdout, stderr []byte,
	err error) {
	cmd := child(ctx, program, args...)
	cmd.Dir, cmd.Env = dir, append(environment(), env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	return out.Bytes(), errs.Bytes(), err
}

// compiledElsewhere is what verdicts about code rest on that another compiler had before.
func compiledElsewhere(u Unit, kind ir.Kind) []found.Assumption {
	if kind == ir.Rust {
		return nil
	}
	return []found.Assumption{{What: found.CompiledElsewhere, Name: filepath.Base(u.File), At: found.Pos{File: u.path()}}}
}
