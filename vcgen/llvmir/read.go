package llvmir

import (
	"fmt"
	"strings"

	"github.com/llir/llvm/asm"
	"github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/constant"
)

// ReadOptions are facts and wishes of the caller that the text does not hold.
type ReadOptions struct {
	// ExternalGlobals has, if it is not nil, the names of the variables and functions with external
	// linkage in the program. It replaces the linkage found in the text, which internalize overwrites.
	ExternalGlobals map[string]bool
	// ConstParams says per function name which of its C parameters point to const. An entry replaces
	// what the debug information of that function says.
	ConstParams map[string][]bool
	// KeepFileNames leaves source file names as clang wrote them; otherwise a relative name is
	// joined with its compilation directory.
	KeepFileNames bool
}

// Read reads LLVM 14 assembly (typed pointers) of one linked module for x86-64 System V.
//
// Every function is lowered. What the lowered form cannot express becomes OpUnsupported in its place,
// so one odd instruction does not hide the rest of the module. An error means that the text is no
// LLVM assembly, that it is inconsistent, or that it is for another target.
// Variables named llvm.* (llvm.used, llvm.global_ctors) are no objects of the program and are left out.
func Read(text []byte, opts ReadOptions) (m *Module, err error) {
	r := &reader{opts: opts, stage: "preparing the text"}
	var prepared string
	// llir panics on input that its grammar admits and its translation does not.
	defer func() {
		if p := recover(); p != nil {
			m, err = nil, fmt.Errorf("llvmir: %s%s: internal error: %v", lineOfQuoted(fmt.Sprint(p), prepared), r.place(), p)
		}
	}()
	prepared, err = prepare(text)
	if err != nil {
		return nil, fmt.Errorf("llvmir: %w", err)
	}
	r.stage = "parsing"
	src, err := asm.ParseString("module.ll", prepared)
	if err != nil {
		return nil, fmt.Errorf("llvmir: %s", parseMessage(err, prepared))
	}
	if err := r.module(src); err != nil {
		return nil, fmt.Errorf("llvmir: %w", err)
	}
	return r.m, nil
}

// reader holds the state of one Read. The first error sticks: later steps go on with dummies
// and Read returns that error.
type reader struct {
	opts ReadOptions
	m    *Module

	types  typeTable
	debug  debugTable
	consts constTable

	globals map[*ir.Global]*Global
	funcs   map[*ir.Func]*Func
	ifuncs  map[*ir.IFunc]*Func
	// resolving has the aliases that are being resolved, to find cycles.
	resolving map[*ir.Alias]bool

	// weak is set when a constant mentions a symbol that may be missing at run time.
	weak string

	nextID int // of the next instruction

	// Where the reader is, for errors.
	stage string
	instr interface{ LLString() string }

	err error
}

// fail records an error unless there is one already.
func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%s: %s", r.place(), fmt.Sprintf(format, args...))
	}
}

// place says what is being read.
func (r *reader) place() string {
	if r.instr == nil {
		return r.stage
	}
	return r.stage + ", " + instrText(r.instr)
}

// instrText prints an instruction of llir, whose printer may itself fail on odd input.
func instrText(i interface{ LLString() string }) (s string) {
	defer func() {
		if recover() != nil {
			s = fmt.Sprintf("%T", i)
		}
	}()
	return i.LLString()
}

// dataLayout is that of x86-64 System V as LLVM 14 writes it, without the mangling.
const dataLayout = "e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128"

func checkTarget(layout, triple string) error {
	if triple != "" && !strings.HasPrefix(triple, "x86_64") {
		return fmt.Errorf("target %q is not x86-64", triple)
	}
	if layout == "" {
		return nil
	}
	var parts []string
	for _, p := range strings.Split(layout, "-") {
		if !strings.HasPrefix(p, "m:") {
			parts = append(parts, p)
		}
	}
	if got := strings.Join(parts, "-"); got != dataLayout {
		return fmt.Errorf("data layout %q is not that of x86-64 System V", layout)
	}
	return nil
}

func (r *reader) module(src *ir.Module) error {
	r.stage = "module header"
	if err := checkTarget(src.DataLayout, src.TargetTriple); err != nil {
		return err
	}
	r.m = &Module{FuncByName: map[string]*Func{}, GlobalByName: map[string]*Global{}}
	r.types.init()
	r.debug.init()
	r.consts.init()
	r.globals = make(map[*ir.Global]*Global, len(src.Globals))
	r.funcs = make(map[*ir.Func]*Func, len(src.Funcs))
	r.ifuncs = map[*ir.IFunc]*Func{}
	r.resolving = map[*ir.Alias]bool{}

	// Objects first: constants and instructions refer to them.
	var ctors *ir.Global
	for _, g := range src.Globals {
		r.stage = "variable @" + g.Name()
		if strings.HasPrefix(g.Name(), "llvm.") {
			if g.Name() == "llvm.global_ctors" {
				ctors = g
			}
			if _, some := g.Init.(*constant.Array); some && g.Name() == "llvm.global_dtors" {
				r.m.HasDtors = true
			}
			continue
		}
		r.declareGlobal(g)
	}
	for _, f := range src.Funcs {
		r.stage = "function @" + f.Name()
		r.declareFunc(f)
	}
	for _, f := range src.IFuncs {
		r.stage = "ifunc @" + f.Name()
		r.declareIFunc(f)
	}
	for _, a := range src.Aliases {
		r.stage = "alias @" + a.Name()
		r.nameAlias(a)
	}
	for _, g := range src.Globals {
		if dst := r.globals[g]; dst != nil && g.Init != nil {
			r.stage = "initialiser of @" + g.Name()
			r.weak = ""
			dst.Init = r.constant(g.Init)
			if r.weak != "" && !strings.HasPrefix(g.Name(), "llvm.") {
				r.m.Unsupported = r.weak
			}
		}
	}
	for _, f := range src.Funcs {
		r.stage = "function @" + f.Name()
		if len(f.Blocks) > 0 {
			r.body(r.funcs[f], f)
		}
		r.instr = nil
		if r.err != nil {
			return r.err
		}
	}
	if ctors != nil {
		r.stage = "llvm.global_ctors"
		r.constructors(ctors)
	}
	r.debug.finish()
	return r.err
}

// parseMessage puts the line of the text into an error of llir, which knows it for syntax errors only.
func parseMessage(err error, text string) string {
	msg := err.Error()
	line := 0
	if i := strings.LastIndex(msg, "syntax error at line "); i >= 0 {
		fmt.Sscanf(msg[i:], "syntax error at line %d", &line)
	}
	if line < 1 {
		return lineOfQuoted(msg, text) + msg
	}
	lines := strings.SplitN(text, "\n", line+1)
	if line > len(lines) {
		return msg
	}
	src := strings.TrimSpace(lines[line-1])
	if len(src) > 160 {
		src = src[:160] + "..."
	}
	return fmt.Sprintf("line %d: syntax error: %s", line, src)
}

// lineOfQuoted returns "line n: " for the first line with the first word that msg quotes:
// the other errors of llir quote the name that they are about.
func lineOfQuoted(msg, text string) string {
	quotes := strings.SplitN(msg, `"`, 3)
	if len(quotes) < 3 || quotes[1] == "" {
		return ""
	}
	at := strings.Index(text, quotes[1])
	if at < 0 {
		return ""
	}
	return fmt.Sprintf("line %d: ", 1+strings.Count(text[:at], "\n"))
}
