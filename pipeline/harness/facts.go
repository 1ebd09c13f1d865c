package harness

import (
	"math/bits"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// set is a set of parameters or variables, by number. Numbers from 64 on are dropped, so that nothing is known about
// them.
type set uint64

func one(n int) set {
	if n < 0 || n >= 64 {
		return 0
	}
	return 1 << n
}

func (s set) has(n int) bool { return s&one(n) != 0 }

func (s set) each(f func(n int)) {
	for ; s != 0; s &= s - 1 {
		f(bits.TrailingZeros64(uint64(s)))
	}
}

// facts describes the use of a parameter in the code of a function.
type facts struct {
	accessed bool  // memory is read or written through it
	written  bool  // memory is written through it
	extent   int64 // number of bytes that are accessed at constant offsets
	indexed  bool  // by a variable, or the pointer is advanced
	// strides are the sizes in bytes of the elements that it is indexed by.
	strides  map[int64]bool
	null     bool   // it is compared with NULL
	checked  bool   // a function to which it is passed compares it with NULL
	peers    string // the functions that compare their parameter of this type with NULL, in words; "": not only those do
	asserted bool   // the code does not go on if it is NULL
	text     bool   // passed to a function that reads a string, or each of its elements is compared with 0
	ended    bool   // an element at a constant index is compared with 0
	filled   bool   // passed to a function that writes a string
	freed    bool
	// nullElements: an element behind it is compared with NULL
	nullElements bool
	taken        bool // the pointer at its address is loaded
	// length is the parameter with the number of elements, -1 for none; with bytes, the number of bytes.
	length int
	bytes  bool
	why    string // the reason for length
	factor int64  // see evidence
	plus   int64  // see evidence
	// ends is the parameter that points to the block whose end this parameter points to, -1 for none.
	ends int
	// lengths are all candidates for length.
	lengths []evidence
	// as are the structs whose members are accessed through it.
	as map[object]bool
	// equals are the numbers with which the function itself compares it by == or !=.
	equals map[int64]bool
	// beyond is the smallest length for which an array of the code with a fixed size is too short; 0 for none.
	beyond int64
	// specials are the numbers other than 0 with which it is compared as a pointer, as (void *)-1.
	specials map[int64]bool
	// storedIn are the members of structs in which it is stored.
	storedIn map[member]bool
}

func (f *facts) exceeds(length int64) {
	if f.beyond == 0 || length < f.beyond {
		f.beyond = length
	}
}

func (f *facts) special(n int64) {
	if f.specials == nil {
		f.specials = map[int64]bool{}
	}
	f.specials[n] = true
}

// index records that it is indexed by elements of a size in bytes.
func (f *facts) index(size int64) {
	if f.indexed = true; f.strides == nil {
		f.strides = map[int64]bool{}
	}
	f.strides[size] = true
}

// object is a struct, by its name in LLVM, that begins at an offset in bytes from an address.
type object struct {
	of     string
	offset int64
}

// evidence is a reason to take a parameter for the length of another.
type evidence struct {
	length int
	bytes  bool
	why    string
	factor int64 // the number of bytes is the length multiplied by this; 0: by 1
	plus   int64 // the bytes in front of those, as in memcpy(p + 2, q, n)
}

// function has the facts about a function, by the numbers of its LLVM parameters.
type function struct {
	params []facts
	// arg is the number of each LLVM parameter in C, from 1; 0 for a part of a struct.
	arg []int
	// passes are the pointers that it passes on.
	passes []handedOn
	// returns are the parameters that the result is derived from, as pointers.
	returns set
}

// handedOn is a parameter that is an argument of a call, both by their numbers in LLVM.
type handedOn struct {
	to                  *llvmir.Func
	parameter, argument int
}

// analysis finds the facts of functions, once for each.
type analysis struct {
	known map[*llvmir.Func]*function
	// nullable has the members that the program compares with NULL, by struct and offset in bytes.
	nullable map[member]bool
	// lengths has, for a member with elements, the members of the same struct with which their indices are compared;
	// indices those that are their indices.
	lengths, indices map[member]map[member]bool
	// below has the members that are less than others of the same struct, see rings.
	below map[member]map[member]bool
	// contexts has, for a member that is a callback, its arguments that are another member of the same struct.
	contexts map[member]set
	// capacities has the members that hold the size of an allocation.
	capacities map[member]bool
	// walked has the members whose elements variables iterate over.
	walked map[member]bool
	// extents has the number of bytes that are accessed at constant offsets through members that are pointers.
	extents map[member]int64
	// as has the structs whose members are accessed through members that are pointers.
	as   map[member]map[object]bool
	bits map[string]int64 // sizes of structs, by name in LLVM
	// texts has the members that are passed to functions that read strings.
	texts map[member]bool
	// ordered has the members that point into one block, see orders.
	ordered map[member]map[member]bool
	// shared has the members that are stored from others of the same object.
	shared map[member]*position
	// nullElements has the members whose elements are compared with NULL.
	nullElements map[member]bool
	// asPointer has the members from which pointers are loaded.
	asPointer map[member]bool
	// read and written are the members through whose targets memory is read and written.
	read, written map[member]bool
}

func newAnalysis() *analysis {
	return &analysis{known: map[*llvmir.Func]*function{}, nullable: map[member]bool{}, capacities: map[member]bool{},
		lengths: map[member]map[member]bool{}, indices: map[member]map[member]bool{},
		below:  map[member]map[member]bool{},
		walked: map[member]bool{}, extents: map[member]int64{}, as: map[member]map[object]bool{},
		bits: map[string]int64{}, contexts: map[member]set{}, read: map[member]bool{}, written: map[member]bool{},
		asPointer: map[member]bool{}, nullElements: map[member]bool{}, ordered: map[member]map[member]bool{},
		texts: map[member]bool{}, shared: map[member]*position{}}
}

type member struct {
	of     string // "struct.list", as in LLVM
	offset int64
}

// of returns the facts of a function. A function that is being analysed, because of recursion, has no facts yet.
func (a *analysis) of(f *llvmir.Func) *function {
	if known := a.known[f]; known != nil {
		return known
	}
	n := len(f.Params)
	out := &function{params: make([]facts, n), arg: make([]int, n)}
	for i := range out.params {
		out.params[i].length, out.params[i].ends = -1, -1
	}
	a.known[f] = out
	if len(f.Blocks) > 0 {
		w := &walk{analysis: a, f: f, out: out, variable: map[int]int{}, from: make([]set, f.NumRegs),
			of: make([]set, f.NumRegs), def: make([]*llvmir.Instr, f.NumRegs)}
		w.run()
	}
	return out
}

// parameter is a parameter in C.
type parameter struct {
	facts
	name    string
	typ     *llvmir.DIType
	builder string // the function that builds the object that it points to; "": another value
	size    string // number of elements up to the parameter that is its end
	// declared is the number of its elements in its declaration, as an expression; "" if it has none.
	declared string
	// within is the struct that contains the object that it points to, at an offset in bytes; nil: none is known.
	within *llvmir.DIType
	offset int64
}

// parametersOf returns the parameters of a function in C. Lengths refer to their numbers in C, from 0.
func (a *analysis) parametersOf(f *llvmir.Func) []parameter {
	known := a.of(f)
	var list []parameter
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			if in.Var == nil || in.Var.Arg == 0 || in.Op != llvmir.OpDbgDeclare && in.Op != llvmir.OpDbgValue {
				continue
			}
			for len(list) < in.Var.Arg {
				list = append(list, parameter{facts: facts{length: -1, ends: -1}})
			}
			list[in.Var.Arg-1].name, list[in.Var.Arg-1].typ = in.Var.Name, in.Var.Type
		}
	}
	for i := range known.params {
		if n := known.arg[i]; n > 0 && n <= len(list) {
			p := &list[n-1]
			p.facts = known.params[i]
			p.null = p.null && !p.asserted
			if t := p.typ; t != nil && t.Kind == llvmir.DIPointer && t.Elem != nil {
				p.text = p.text || p.ended && isText(t.Elem)
				if isComposite(t.Elem) && t.Elem.Bits > 0 { // a loop over the bytes of an object shows no array of objects
					p.indexed = p.strides[t.Elem.Bits/8]
					if !p.indexed && len(p.strides) > 0 { // nor is their number that of such objects
						p.bytes = true
						if p.as[object{llvmName(t.Elem), 0}] { // a pointer that is computed from it has this length
							p.length = -1
						}
					}
				}
			}
			a.addStored(&p.facts)
			if p.length >= 0 {
				p.length = known.arg[p.length] - 1
				t := p.typ
				if t != nil && t.Kind == llvmir.DIPointer && t.Elem != nil && p.factor > 1 && 8*p.factor == t.Elem.Bits {
					p.bytes = false // n * sizeof *p bytes
				}
			}
			if p.ends >= 0 {
				p.ends = known.arg[p.ends] - 1
			}
		}
	}
	return list
}

// addStored adds the facts about the members in which a parameter is stored.
func (a *analysis) addStored(f *facts) {
	for m := range f.storedIn {
		f.accessed, f.written = f.accessed || a.read[m] || a.written[m], f.written || a.written[m]
		f.indexed = f.indexed || a.walked[m]
		f.extent = max(f.extent, a.extents[m])
	}
}
