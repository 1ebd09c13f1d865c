package llvmir

import (
	"fmt"
	"strings"

	"github.com/unitproof/unitproof/vcgen/llvmir/lexer"
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

// Read reads LLVM assembly of one linked module for x86-64 System V, as LLVM 14 to 23 write it: pointers have pointee
// types or none.
//
// Every function is lowered. What the lowered form cannot express becomes OpUnsupported in its place,
// so one odd instruction does not hide the rest of the module. An error means that the text is no
// LLVM assembly, that it has words that are not known here, that it is inconsistent (a *lexer.SyntaxError), or that it
// is for another target.
// Variables named llvm.* (llvm.used, llvm.global_ctors) are no objects of the program and are left out.
// Metadata is read as far as something refers to it.
func Read(text []byte, opts ReadOptions) (m *Module, err error) {
	r := &reader{Lexer: lexer.Lexer{Text: text}, opts: opts}
	defer func() {
		switch p := recover().(type) {
		case nil:
		case *lexer.SyntaxError:
			m, err = nil, p
		default: // a mistake of ours, or text that is none of LLVM's
			m, err = nil, fmt.Errorf("llvmir: internal error: %v", p)
		}
	}()
	r.init()
	r.types.opaque = opaquePointers(text)
	r.m.OpaquePointers = r.types.opaque
	r.module()
	r.m.Void, r.m.Int64 = r.voidType(), r.intType(64)
	return r.m, nil
}

// reader holds the state of one Read: the text is cut into its entities first (module.go), since they may refer to
// later ones.
type reader struct {
	lexer.Lexer
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
	r.types.widest = 8
}

// dataLayout is that of x86-64 System V as LLVM writes it, without the mangling; wideDataLayout is that of LLVM 18 and
// later, which know that integers of 128 bits are aligned to 16 bytes.
const (
	dataLayout     = "e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128"
	wideDataLayout = "e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
)

// checkTarget checks the target, each part empty as long as it is not known. widest is the alignment in bytes of the
// widest integers.
func checkTarget(layout, triple string) (widest int64, err error) {
	if triple != "" && !strings.HasPrefix(triple, "x86_64") {
		return 0, fmt.Errorf("target %q is not x86-64", triple)
	}
	var parts []string
	for _, p := range strings.Split(layout, "-") {
		if !strings.HasPrefix(p, "m:") {
			parts = append(parts, p)
		}
	}
	switch strings.Join(parts, "-") {
	case "", dataLayout:
		return 8, nil
	case wideDataLayout:
		return 16, nil
	}
	return 0, fmt.Errorf("data layout %q is not that of x86-64 System V", layout)
}
