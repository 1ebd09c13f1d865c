// Package harness writes unit proofs of functions in C. It derives from the compiled program (types, and the use of
// parameters in the code) a proof that calls the function with all arguments that it is meant for.
//
// For example, for
//
//	int sum(const int *a, size_t n);  // reads a[i] for i < n
//
// it writes
//
//	size_t n = nd_size_t();
//	assume(n <= MAX_SIZE);
//	const int *a = any_block(n * sizeof *a);
//	sum(a, n);
//
// It reads no files and starts no programs: the caller compiles, writes and checks.
//
// Principal types: Request, Proof, writer, facts. Reading order: harness.go, arguments.go, structs.go (their pointees),
// constructors.go (incomplete types), invariants.go (what is asserted), types.go, text.go (the file), facts.go, walk.go
// and calls.go (the use of a parameter in the code), peers.go (in the file's other functions).
package harness

import (
	"errors"
	"fmt"
	"slices"

	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Request has the inputs of a proof.
type Request struct {
	Program *clangir.Module // contains the function and its callees
	// Siblings contains the functions of File that the function does not call, too; nil: only Program is known.
	Siblings *clangir.Module
	Function string
	File     string // file that defines the function, absolute
	Text     []byte // text of File
	// Texts are the project's files that File includes: constructors and predicates are searched there.
	Texts [][]byte
	// Code are the texts of the program's other C files.
	Code [][]byte
	// Dir is the folder of the proof. Own reports whether a file exists.
	Dir string
	Own func(path string) bool
	// Include reports whether the file is included and not linked, as for a static function.
	Include bool
	Size    int // maximal number of elements
	// Note is the comment on Size.
	Note string
	// Headers are further headers of the project, which define structs that File knows by name only.
	Headers []string
	// AllHeaders includes all headers of File, also those that declare nothing of the proof: its other headers may
	// depend on them.
	AllHeaders bool
	// Unasserted leaves out the assumptions of what the code asserts.
	Unasserted bool
	// Near leaves out lengths above Size.
	Near bool
	// Whole makes all pointers valid, also those that the code does not touch.
	Whole bool
	// Operations applies operations of the project to objects that constructors make.
	Operations bool
	// Compare writes a program that calls two versions of the function on the same state instead of a proof; see
	// compare.go. Executed: the program is only executed, which shows differences and no equality.
	Compare, Executed bool
}

// Proof is the text of a proof.
type Proof struct {
	Text []byte
	// Sized reports whether the proof has sizes that the user can choose.
	Sized bool
	// Included reports whether the proof includes the file of the function: on request, or to set the file's static
	// variables.
	Included bool
	// Spared reports whether pointers are arbitrary since the code does not touch them.
	Spared bool
	// Steep reports whether checks take much longer with each size: chains of structs, constructors.
	Steep bool
	// Operable reports whether there are such operations.
	Operable bool
	// Questions are the assumptions that the user has to check.
	Questions []string
	// Partial are the questions about objects that the harness builds in a part of their states: as constructors make
	// them, or NULL.
	Partial []string
	// Depth is the greatest number of structures in a chain of pointers; 0 if no chain is cut there.
	Depth int
	// Apart are the pairs of pointers that do not overlap in a comparison, in words.
	Apart []string
	// Callbacks are the types of the callbacks that a comparison declares, by name.
	Callbacks map[string]*llvmir.DIType
}

// ErrNoDefinition is the error for a function that the program does not define.
var ErrNoDefinition = errors.New("the program does not define the function")

// SizeMacro is the name of the constant with the maximal number of elements.
const SizeMacro = "MAX_SIZE"

// maxDepth limits the chains of pointers from struct to struct.
const maxDepth = 2

// writer writes one proof.
type writer struct {
	Request
	f      *llvmir.Func
	params []parameter
	*analysis
	around *analysis // of the functions of the file, see learn; nil if they are not known

	stubs    []string // functions in place of callbacks
	builders []string // functions that build structs
	use      *use
	spared   bool
	// constructs reports whether functions of the project create objects.
	constructs bool
	// operable reports whether there are operations on such objects.
	operable bool
	known    map[string]bool // builders that were started
	building []string        // builders whose text is being written, outermost first
	flat     map[string]bool // builders without pointers, which need no depth
	body     []string
	callback member // the member for which a stub is written
	variant  int    // number of unions around the members that are written
	// invariants has the conditions that the code shows of a struct, by its builder.
	invariants map[string][]invariant
	block      bool // whether any_block is used
	text       bool // whether any_string is used
	sized      bool
	headers    []string
	used       map[string]bool // names of variables
	questions  []string
	partial    []string
	padded     []*llvmir.DIType // types of blocks with padding, in comparisons
	disjoint   []string         // pairs of pointers that do not overlap, in comparisons
	callbacks  map[string]*llvmir.DIType
	structs    map[string]*llvmir.DIType // by name in LLVM

	enumerators map[string]bool
	// bases has the structs that begin with a struct, and that the code reaches through pointers to it.
	bases map[string]map[string]bool
	seen  map[string]bool // types that the proof can name, and others
	// predicates and aliased are the results of validated and aliases; nil: not yet computed.
	predicates *bool
	limits     map[int]limited // by parameter, see positions
	aliased    map[string][]string
}

// Write writes the proof of a function.
func Write(r Request) (*Proof, error) {
	w := &writer{Request: r, known: map[string]bool{}, flat: map[string]bool{}, used: map[string]bool{},
		callbacks: map[string]*llvmir.DIType{}, invariants: map[string][]invariant{},
		analysis: newAnalysis(),
		structs:  map[string]*llvmir.DIType{}, enumerators: map[string]bool{}, seen: map[string]bool{},
		bases: map[string]map[string]bool{}}
	w.types(r.Program.Funcs)
	for _, f := range r.Program.Funcs {
		if f.SourceName != r.Function || len(f.Blocks) == 0 {
			continue
		}
		if w.f == nil || f.Loc != nil && f.Loc.File == r.File { // not a static one of another file
			w.f = f
		}
	}
	if w.f == nil {
		return nil, ErrNoDefinition
	}
	for _, f := range r.Program.Funcs {
		w.analysis.of(f)
	}
	w.use = usedBy(w.f)
	w.learn()
	w.findBases(r.Program.Funcs)
	w.params = w.analysis.parametersOf(w.f)
	w.peers()
	if r.Compare { // the other version may check for NULL, and assert other conditions
		w.Unasserted = true
		for i := range w.params {
			w.params[i].null = true
		}
	}
	for i := range w.params {
		p := &w.params[i]
		if p.typ == nil {
			return nil, fmt.Errorf("the type of parameter %d is not in the debug information", i+1)
		}
		p.name = w.variable(p.name, i)
		if p.typ.Kind == llvmir.DIPointer && !p.indexed {
			p.within, p.offset = w.container(p.typ.Elem, p.as)
		}
	}
	w.declaredSizes()
	if !r.Compare {
		w.positions()
	}
	w.lengthsByName()
	for i := range w.params { // a block with an end needs elements with a size
		if p := &w.params[i]; p.ends >= 0 && (w.params[p.ends].typ.Elem == nil || w.params[p.ends].typ.Elem.Bits == 0 ||
			isComposite(w.params[p.ends].typ.Elem) || w.params[p.ends].typ.Elem.Kind == llvmir.DIPointer) {
			p.ends = -1
		}
	}
	if r.Compare {
		if err := w.comparable(); err != nil {
			return nil, err
		}
		w.arguments()
		return &Proof{Text: []byte(w.comparison()), Sized: w.sized, Included: true, Questions: w.questions,
			Partial: w.partial, Depth: w.depth(), Apart: w.disjoint, Callbacks: w.callbacks}, nil
	}
	w.globals()
	w.arguments()
	return &Proof{Text: []byte(w.file()), Sized: w.sized, Included: w.Include, Spared: w.spared,
		Questions: w.questions, Steep: w.depth() > 0 || w.constructs, Operable: w.operable}, nil
}

var reserved = []string{"main", "malloc", "free", "memset", "assume", "memhavoc", "any_block", "any_string"}

// variable returns the name of a parameter in the proof.
func (w *writer) variable(name string, i int) string {
	if name == "" {
		name = fmt.Sprintf("arg%d", i+1)
	}
	for name == w.Function || slices.Contains(reserved, name) || w.used[name] {
		name += "_"
	}
	w.used[name] = true
	return name
}

// lengthsByName pairs pointers with neighbouring parameters whose names are those of lengths, if the code shows no
// length.
func (w *writer) lengthsByName() {
	taken := map[int]bool{}
	for i := range w.params {
		if w.params[i].length >= 0 {
			taken[w.params[i].length] = true
		}
		taken[i] = taken[i] || w.isLimit(i)
	}
	for i := range w.params {
		p := &w.params[i]
		untyped := p.typ.Kind == llvmir.DIPointer && (p.typ.Elem == nil || p.typ.Elem.Kind == llvmir.DIVoid)
		one := untyped && p.extent > 0 && !p.indexed && len(p.storedIn) == 0 // an object that the code casts
		ofPointers := p.typ.Kind == llvmir.DIPointer && p.typ.Elem != nil && p.typ.Elem.Kind == llvmir.DIPointer
		several := p.typ.Kind == llvmir.DIPointer && p.typ.Elem != nil && p.typ.Elem.Bits > 0 && !p.indexed &&
			p.extent > p.typ.Elem.Bits/8 // at constant indices
		if p.length >= 0 || p.declared != "" || !canHaveLength(p.typ) && !ofPointers || p.text && !p.indexed ||
			several || one || w.hasLimit(i) {
			continue
		}
		for _, k := range []int{i + 1, i - 1} {
			if k < 0 || k >= len(w.params) || p.length >= 0 {
				continue
			}
			if q := &w.params[k]; isLength(q.name, q.typ) && (k > i || !taken[k]) {
				p.length, p.why = k, "by its name, %s"
				p.bytes = p.typ.Elem == nil || p.typ.Elem.Kind == llvmir.DIVoid
				taken[k] = true
			}
		}
	}
}

// widest is the number of columns of a line up to which a comment stands behind its statement, and not in front of it.
const widest = 110

// line adds a statement to main, with a comment.
func (w *writer) line(statement, comment string) {
	if comment != "" {
		comment = "/* " + comment + " */"
		if len(statement)+len(comment) > widest {
			w.body = append(w.body, comment)
		} else {
			statement += " " + comment
		}
	}
	w.body = append(w.body, statement)
}

// askPartly is ask for an object that does not have all states that a caller can pass.
func (w *writer) askPartly(question string) string {
	w.partial = append(w.partial, question)
	return w.ask(question)
}

// ask adds a question, and returns it as a comment.
func (w *writer) ask(question string) string {
	w.questions = append(w.questions, question)
	return "Question: " + question
}
