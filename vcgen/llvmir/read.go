package llvmir

import (
	"fmt"

	"github.com/unitproof/unitproof/vcgen/llvmir/lexer"
)

// ReadOptions are preferences of the caller.
type ReadOptions struct {
	// KeepFileNames keeps source file names as written by clang; otherwise a relative name is joined with its
	// compilation directory.
	KeepFileNames bool
}

// Read reads LLVM assembly of one linked module in the syntax of LLVM 14 to 23.
//
// All functions are lowered. A construct that the lowered form cannot express becomes an OpUnsupported in its place,
// so the rest of the module remains usable.
//
// Read returns an error if
//
//   - the text is not LLVM assembly, has unknown words, or is inconsistent (a *lexer.SyntaxError), or
//   - it is for a target that is not supported (ParseLayout).
//
// Variables named llvm.* (llvm.used, llvm.global_ctors) are not objects of the program and are omitted. Metadata is
// read only if it is referenced.
func Read(text []byte, opts ReadOptions) (m *Module, err error) {
	r := &reader{Lexer: lexer.Lexer{Text: text}, opts: opts}
	defer func() {
		switch p := recover().(type) {
		case nil:
		case *lexer.SyntaxError:
			m, err = nil, p
		case *UnsupportedTarget:
			m, err = nil, p
		default: // an error in the reader, or text not written by LLVM
			m, err = nil, fmt.Errorf("llvmir: internal error: %v", p)
		}
	}()
	r.init()
	r.types.opaque = opaquePointers(text)
	r.m.OpaquePointers = r.types.opaque
	r.module()
	r.m.Void, r.m.Int64, r.m.Word = r.voidType(), r.intType(64), r.intType(int64(r.m.Layout.Pointer))
	return r.m, nil
}

// reader is the state of one Read.
//
// The text is first cut into its entities (module.go), because they may refer to later ones.
type reader struct {
	lexer.Lexer
	opts ReadOptions
	m    *Module

	types  typeTable
	debug  debugTable
	consts constTable

	// The top-level parts of the text.
	entities
	// symbols are the variables, functions and aliases by name.
	symbols map[string]*symbol
	// groupFacts has the relevant attributes of each attribute group.
	groupFacts map[int64]funcFacts

	// typeTexts caches types by their text, see bracketed.
	typeTexts map[string]*Type
	// words interns frequent strings.
	words map[string]string

	// stems caches the names of intrinsics without types, see intrinsicStem.
	stems map[string]string
	// args are the arguments of the last call, fields those of the last node; the slices are reused.
	args   []argument
	fields []mdField

	// declaring is true until all named types are defined: layouts are computed then.
	declaring bool
	// nesting is the depth of open brackets.
	nesting int

	// weak is set if a constant mentions a symbol that may be missing at run time.
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
	r.m.Layout = X8664()
	r.initTypes()
}
