package llvmir

import (
	"fmt"
	"strings"
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
// LLVM assembly, that it has words that are not known here, that it is inconsistent, or that it is for another target.
// Variables named llvm.* (llvm.used, llvm.global_ctors) are no objects of the program and are left out.
// Metadata is read as far as something refers to it.
func Read(text []byte, opts ReadOptions) (m *Module, err error) {
	r := &reader{lexer: lexer{text: text}, opts: opts}
	defer func() {
		switch p := recover().(type) {
		case nil:
		case readError:
			m, err = nil, fmt.Errorf("llvmir: %s", p.msg)
		default: // a mistake of ours, or text that is none of LLVM's
			m, err = nil, fmt.Errorf("llvmir: internal error: %v", p)
		}
	}()
	r.init()
	r.module()
	r.m.Void, r.m.Int64 = r.voidType(), r.intType(64)
	return r.m, nil
}

// reader holds the state of one Read: the text is cut into its entities first (module.go), since they may refer to
// later ones.
type reader struct {
	lexer
	opts ReadOptions
	m    *Module

	types  typeTable
	debug  debugTable
	consts constTable

	// What the text has at its top level.
	entities
	// symbols are the variables, functions and aliases by name.
	symbols map[string]*symbol
	// groupFacts is what the groups of attributes say.
	groupFacts map[int64]funcFacts

	// typeTexts has the types of bracketed texts, see bracketed.
	typeTexts map[string]*Type
	// words shares strings that come often.
	words map[string]string

	// stems are the names of intrinsics without types, see intrinsicStem.
	stems map[string]string
	// args are the arguments of the last call, fields those of the last node: their room is used again.
	args   []argument
	fields []mdField

	// declaring is set while not all named types are known: layouts have to wait.
	declaring bool
	// nesting is the depth of brackets that are being read.
	nesting int

	// weak is set when a constant mentions a symbol that may be missing at run time.
	weak string

	nextID int // of the next instruction
}

func (r *reader) init() {
	r.m = &Module{FuncByName: map[string]*Func{}, GlobalByName: map[string]*Global{}}
	r.symbols = map[string]*symbol{}
	r.groupFacts = map[int64]funcFacts{}
	r.typeTexts = map[string]*Type{}
	r.words = map[string]string{}
	r.stems = map[string]string{}
	r.consts.ints = map[smallInt]*Const{}
	r.debug.init()
	r.initTypes()
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
