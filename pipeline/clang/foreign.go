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

// Units that clang does not compile: LLVM assembly and bitcode, which another compiler generated, and Rust, which rustc
// compiles. Their assembly is linked, slimmed and read like clang's.

// RustVariable is the environment variable with the rustc to use; without it, rustc is searched in PATH.
const RustVariable = "UNITPROOF_RUSTC"

// rustFlags are the options of rustc. Optimizations are off, as in ours; all run-time checks of Rust are on. Panics
// always end the execution, so no code for unwinding is generated.
var rustFlags = []string{"--edition=2021", "--crate-type=lib", "-g", "-Copt-level=0", "-Coverflow-checks=on",
	"-Cdebug-assertions=on", "-Cpanic=abort", "-Zshare-generics=no", "-Ccodegen-units=1", "-Cno-prepopulate-passes",
	"--error-format=short",
	"--color=never", "--cap-lints=allow"}

// rustEnvironment allows -Zshare-generics=no, which is unstable. Only with it our module contains the bodies of generic
// functions that the library has already instantiated, such as the growth of a Vec<u8>.
var rustEnvironment = []string{"RUSTC_BOOTSTRAP=1"}

// foreignArguments returns the arguments that, for caches, determine the result for a file; none for LLVM's own
// formats. Flags of C compilers have no effect here.
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

// rustc returns the path of rustc and a string that identifies its version.
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
		// rustup's rustc starts another rustc, which these determine.
		home := os.Getenv("RUSTUP_HOME")
		if user, err := os.UserHomeDir(); err == nil && home == "" {
			home = filepath.Join(user, ".rustup")
		}
		version += fmt.Sprint(os.Getenv("RUSTUP_TOOLCHAIN"), stamp(filepath.Join(home, "settings.toml")),
			stamp(filepath.Join(home, "update-hashes")))
	}
	return path, version
}

// stamp returns a string that changes when a file or folder changes, unless the change is disguised on purpose. It is
// "" if there is none.
func stamp(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%d %d ", info.Size(), info.ModTime().UnixNano())
}

// foreign returns the assembly of a unit that is not C, with its input files.
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
	// Functions that only panic are executed as a failed assertion, even generic ones with a body.
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

// refused returns the error for a unit that cannot be used.
func refused(u Unit, line int, format string, args ...any) *CompileError {
	d := Diagnostic{File: u.path(), Line: line, Severity: "error", Message: fmt.Sprintf(format, args...)}
	if line > 0 {
		d.Column = 1
	}
	return &CompileError{Stage: "compile", Files: []string{u.path()}, Diagnostics: []Diagnostic{d}}
}

// understood returns an error unless the engine's reader accepts the whole text and the text has source positions,
// which findings need. It runs before the module is slimmed, since lines are meaningful only then.
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
		return refused(u, 0, "%s has no debug information: compile it with -g", c.request.Entry)
	}
	return nil
}

// disassembled returns the assembly of bitcode. Newer tools can read older bitcode and print it in their own syntax.
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

// rustFolder is the working directory of rustc. In the folder of the file, rustup would start the program that a
// rust-toolchain.toml names there: checked files must not choose programs to run.
const rustFolder = "/"

// rust compiles a Rust file.
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
	folder := filepath.Join(c.dir, fmt.Sprintf("unit%d", index)) // rustc also leaves other files there
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

// crateName returns a crate name for a file that is a crate by itself.
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

// parseRust parses the messages of rustc in its short form, FILE:LINE:COLUMN: error[E0308]: TEXT. The last message
// counts the others.
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

// runChild runs a program as a separate process, without a fork server.
func runChild(ctx context.Context, dir string, env []string, program string, args ...string) (stdout, stderr []byte,
	err error) {
	cmd := child(ctx, program, args...)
	cmd.Dir, cmd.Env = dir, append(environment(), env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	return out.Bytes(), errs.Bytes(), err
}

// compiledElsewhere returns the assumption that another compiler translated the code correctly.
func compiledElsewhere(u Unit, kind ir.Kind) []found.Assumption {
	if kind == ir.Rust {
		return nil
	}
	return []found.Assumption{{What: found.CompiledElsewhere, Name: filepath.Base(u.File), At: found.Pos{File: u.path()}}}
}
