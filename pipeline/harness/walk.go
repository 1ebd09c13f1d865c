package harness

import (
	"maps"
	"math/bits"
	"strings"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// walk is the analysis of one function. It is flow-insensitive: a value that a variable has at some point may be its
// value at every point.
type walk struct {
	*analysis
	f   *llvmir.Func
	out *function

	def      []*llvmir.Instr // by register
	variable map[int]int     // number of a variable, by the register of its alloca
	holds    []set           // by variable: the parameters from which its values are derived
	from, of []set           // by register: the parameters, and the variables, from which its value is derived
	// roots and rootsIn are like from and holds without addresses of members: a register, or a variable, is a number or
	// the address of an element.
	roots, rootsIn []set
	indexes        []set             // by parameter: the variables that index it
	members        []map[member]bool // by variable: the members from which its values are loaded
	stepped        set               // the variables that are moved to another element
	fixed          map[int]int64     // by variable that indexes an array of fixed size: the number of its elements
	blocks         map[*llvmir.Instr]int
}

func (w *walk) run() {
	w.indexes = make([]set, len(w.f.Params))
	w.roots = make([]set, w.f.NumRegs)
	for i := range w.f.Params {
		w.from[i], w.roots[i] = one(i), one(i)
	}
	w.each(func(in *llvmir.Instr) {
		if in.Dst >= 0 && in.Dst < len(w.def) {
			w.def[in.Dst] = in
		}
		if in.Op == llvmir.OpAlloca {
			w.variable[in.Dst] = len(w.holds)
			w.holds, w.rootsIn = append(w.holds, 0), append(w.rootsIn, 0)
		}
	})
	for changed := true; changed; {
		changed = false
		w.each(func(in *llvmir.Instr) {
			if w.flows(in) {
				changed = true
			}
		})
	}
	w.each(func(in *llvmir.Instr) {
		if in.Op == llvmir.OpRet && len(in.Args) > 0 {
			w.out.returns |= w.pointers(w.rootsOf(in.Args[0]))
		}
	})
	w.members = make([]map[member]bool, len(w.holds))
	for changed := true; changed; {
		changed = false
		w.each(func(in *llvmir.Instr) { changed = w.takes(in) || changed })
	}
	w.allocations()
	w.allocatedMembers()
	w.memberLengths()
	w.rings()
	w.each(w.uses)
	w.each(w.compares)
	w.each(w.orders)
	w.together()
	w.arguments()
	w.choose()
}

func (w *walk) each(f func(in *llvmir.Instr)) {
	for _, b := range w.f.Blocks {
		for _, in := range b.Instrs {
			f(in)
		}
	}
}

// sources returns the parameters and the variables from which an operand is derived.
func (w *walk) sources(o llvmir.Operand) (params, variables set) {
	if o.Kind != llvmir.OperandReg || o.Reg >= len(w.from) {
		return 0, 0
	}
	return w.from[o.Reg], w.of[o.Reg]
}

// rootsOf returns the parameters from which an operand is derived as a number or as the address of an element.
func (w *walk) rootsOf(o llvmir.Operand) set {
	if o.Kind != llvmir.OperandReg || o.Reg >= len(w.roots) {
		return 0
	}
	return w.roots[o.Reg]
}

// slot returns the variable whose address an operand is, or -1.
func (w *walk) slot(o llvmir.Operand) int {
	if o.Kind == llvmir.OperandReg {
		if v, ok := w.variable[o.Reg]; ok {
			return v
		}
	}
	return -1
}

// flows adds the sources of an instruction to its result or to the variable that it stores to, and reports whether any
// was new.
func (w *walk) flows(in *llvmir.Instr) bool {
	var params, variables, roots set
	switch in.Op {
	case llvmir.OpStore:
		v := w.slot(in.Args[1])
		if v < 0 {
			return false
		}
		old, oldRootsIn := w.holds[v], w.rootsIn[v]
		params, _ = w.sources(in.Args[0])
		w.holds[v] |= params
		w.rootsIn[v] |= w.rootsOf(in.Args[0])
		return w.holds[v] != old || w.rootsIn[v] != oldRootsIn
	case llvmir.OpLoad:
		v := w.slot(in.Args[0])
		if v < 0 {
			return false
		}
		params, variables, roots = w.holds[v], one(v), w.rootsIn[v]
	case llvmir.OpGEP:
		params, variables = w.sources(in.Args[0])
		if !ofMember(in) {
			roots = w.rootsOf(in.Args[0])
		}
	case llvmir.OpBitCast, llvmir.OpFreeze, llvmir.OpZExt, llvmir.OpSExt, llvmir.OpTrunc, llvmir.OpAdd, llvmir.OpSub,
		llvmir.OpMul, llvmir.OpShl, llvmir.OpPhi, llvmir.OpSelect, llvmir.OpPtrToInt, llvmir.OpIntToPtr:
		for _, a := range in.Args {
			p, v := w.sources(a)
			params, variables, roots = params|p, variables|v, roots|w.rootsOf(a)
		}
	case llvmir.OpExtractValue, llvmir.OpCall:
		if in.Op == llvmir.OpCall && !strings.Contains(in.Intrinsic, "with.overflow") {
			w.returned(in).each(func(i int) {
				p, v := w.sources(in.Args[i])
				params, variables, roots = params|p, variables|v, roots|w.rootsOf(in.Args[i])
			})
			break
		}
		for _, a := range in.Args { // arithmetic with an overflow check
			p, v := w.sources(a)
			params, variables, roots = params|p, variables|v, roots|w.rootsOf(a)
		}
	default:
		return false
	}
	if in.Dst < 0 || in.Dst >= len(w.from) {
		return false
	}
	oldFrom, oldOf, oldRoots := w.from[in.Dst], w.of[in.Dst], w.roots[in.Dst]
	w.from[in.Dst] |= params
	w.of[in.Dst] |= variables
	w.roots[in.Dst] |= roots
	return w.from[in.Dst] != oldFrom || w.of[in.Dst] != oldOf || w.roots[in.Dst] != oldRoots
}

// ofMember reports whether an instruction computes the address of a member of a struct.
func ofMember(in *llvmir.Instr) bool {
	return in.ElemType != nil && in.ElemType.Kind == llvmir.StructType && in.GEP != nil && in.GEP.To != in.ElemType
}

func isPointer(t *llvmir.Type) bool { return t != nil && t.Kind == llvmir.PointerType }

// pointers returns the elements of a set of parameters that are pointers.
func (w *walk) pointers(s set) (out set) {
	s.each(func(n int) {
		if isPointer(w.f.Params[n].Type) {
			out |= one(n)
		}
	})
	return out
}

// numbers returns the elements of a set of parameters that may be lengths.
func (w *walk) numbers(s set) (out set) {
	s.each(func(n int) {
		if t := w.f.Params[n].Type; t.Kind == llvmir.IntType && t.Bits >= 8 {
			out |= one(n)
		}
	})
	return out
}

// wide returns the elements of a set of parameters that are lengths of any array: a character may be an index, too.
func (w *walk) wide(s set) (out set) {
	w.numbers(s).each(func(n int) {
		if w.f.Params[n].Type.Bits >= 16 {
			out |= one(n)
		}
	})
	return out
}

// uses adds the facts from accesses, indices and calls.
func (w *walk) uses(in *llvmir.Instr) {
	access := func(o llvmir.Operand, t *llvmir.Type) {
		if w.slot(o) < 0 {
			if p, off, ok := w.farthest(o, 0); ok && t != nil {
				w.reaches(p, off+t.StoreSize)
			}
			if t != nil {
				w.reachesBehind(o, t.StoreSize)
			}
			for m := range w.base(o, 0) {
				if in.Op == llvmir.OpLoad {
					w.read[m] = true
				} else {
					w.written[m] = true
				}
			}
			p, _ := w.sources(o)
			w.pointers(p).each(func(n int) { w.out.params[n].accessed = true })
		}
	}
	switch in.Op {
	case llvmir.OpLoad:
		access(in.Args[0], in.Type)
		w.takesBehind(in)
		if m, ok := w.memberAt(in.Args[0]); ok && isPointer(in.Type) {
			w.asPointer[m] = true
		}
	case llvmir.OpStore:
		access(in.Args[1], in.Args[0].Type)
		if w.slot(in.Args[1]) < 0 {
			p, _ := w.sources(in.Args[1])
			w.pointers(p).each(func(n int) { w.out.params[n].written = true })
			w.stores(in)
		}
		v := w.slot(in.Args[1])
		_, of := w.sources(in.Args[0])
		if d := w.defOf(in.Args[0]); v >= 0 && of.has(v) && d != nil && d.Op == llvmir.OpGEP { // p++
			w.steps(d)
			w.stepped |= one(v)
			w.pointers(w.rootsOf(in.Args[0])).each(func(n int) { w.out.params[n].index(elementSize(d)) })
		}
	case llvmir.OpGEP:
		w.takenAs(in)
		w.indexesFixed(in)
		p := w.rootsOf(in.Args[0])
		for k, index := range in.Args[1:] {
			numbers, of := w.sources(index)
			if index.Kind != llvmir.OperandReg || in.ElemType != nil && in.GEP.Scales[k] != in.ElemType.Size {
				continue // the index of an array within an element
			}
			w.steps(in)
			fixed := !ofStructs(in) && w.bounded(in)
			w.pointers(p).each(func(n int) {
				if !fixed {
					w.out.params[n].index(elementSize(in))
				}
				w.indexes[n] |= of
				if !w.picks(in, index) {
					w.wide(numbers).each(func(q int) { w.pair(n, q, false, "its end is computed from %s") })
				}
			})
		}
	case llvmir.OpCall:
		w.call(in)
	}
}

// takes records the members from which a stored value was loaded, directly or through another variable, and reports
// whether any was new.
func (w *walk) takes(in *llvmir.Instr) bool {
	if in.Op != llvmir.OpStore || w.slot(in.Args[1]) < 0 {
		return false
	}
	v := w.slot(in.Args[1])
	before := len(w.members[v])
	from := map[member]bool{}
	if m, ok := w.loaded(in.Args[0]); ok {
		from[m] = true
	} else if d := w.defOf(in.Args[0]); d != nil && d.Op == llvmir.OpLoad && w.slot(d.Args[0]) >= 0 {
		from = w.members[w.slot(d.Args[0])]
	}
	if w.members[v] == nil && len(from) > 0 {
		w.members[v] = map[member]bool{}
	}
	maps.Copy(w.members[v], from)
	return len(w.members[v]) > before
}

// loaded returns the member from which a value was loaded.
func (w *walk) loaded(o llvmir.Operand) (member, bool) {
	d := w.defOf(o)
	if d == nil || d.Op != llvmir.OpLoad {
		return member{}, false
	}
	g := w.defOf(d.Args[0])
	if g == nil || g.Op != llvmir.OpGEP || g.ElemType == nil || g.GEP == nil || g.ElemType.Name == "" {
		return member{}, false
	}
	return member{g.ElemType.Name, g.GEP.Const}, true
}

// steps records that a pointer loaded from a member, directly or through a variable, is moved to another element.
func (w *walk) steps(address *llvmir.Instr) {
	if m, ok := w.loaded(address.Args[0]); ok {
		w.walked[m] = true
		return
	}
	if d := w.defOf(address.Args[0]); d != nil && d.Op == llvmir.OpLoad {
		if v := w.slot(d.Args[0]); v >= 0 {
			for m := range w.members[v] {
				w.walked[m] = true
			}
		}
	}
}

// picks reports whether the address of an element with an unmodified number is accessed: the number is an index and not
// a length.
func (w *walk) picks(address *llvmir.Instr, index llvmir.Operand) bool {
	d := w.defOf(index)
	for d != nil && (d.Op == llvmir.OpSExt || d.Op == llvmir.OpZExt || d.Op == llvmir.OpTrunc) {
		d = w.defOf(d.Args[0])
	}
	if d == nil || d.Op != llvmir.OpLoad {
		return false
	}
	used := false
	w.each(func(in *llvmir.Instr) {
		switch in.Op {
		case llvmir.OpLoad, llvmir.OpGEP:
			used = used || in.Args[0].Kind == llvmir.OperandReg && in.Args[0].Reg == address.Dst
		case llvmir.OpStore:
			used = used || in.Args[1].Kind == llvmir.OperandReg && in.Args[1].Reg == address.Dst
		}
	})
	return used
}

// reaches records that bytes up to an offset are accessed through some parameters.
func (w *walk) reaches(params set, bytes int64) {
	w.pointers(params).each(func(n int) { w.out.params[n].extent = max(w.out.params[n].extent, bytes) })
}

// offsetFrom returns the constant offset in bytes of an address from a parameter; 0 if it is not constant.
func (w *walk) offsetFrom(n int, o llvmir.Operand) int64 {
	if params, off, ok := w.constantOffset(o, 0); ok && params.has(n) && off > 0 {
		return off
	}
	return 0
}

// constantOffset returns the constant offset in bytes of an address from the value of a variable, and the parameters
// from which this value is derived. ok is false if the offset is not constant.
func (w *walk) constantOffset(o llvmir.Operand, depth int) (params set, off int64, ok bool) {
	d := w.defOf(o)
	if d == nil || depth > 20 {
		return 0, 0, false
	}
	switch d.Op {
	case llvmir.OpLoad:
		if v := w.slot(d.Args[0]); v >= 0 {
			return w.holds[v], 0, true
		}
	case llvmir.OpBitCast:
		return w.constantOffset(d.Args[0], depth+1)
	case llvmir.OpCall:
		if r := w.returned(d); r != 0 && r&(r-1) == 0 { // a cast in a function of its own
			return w.constantOffset(d.Args[bits.TrailingZeros64(uint64(r))], depth+1)
		}
	case llvmir.OpGEP:
		for _, index := range d.Args[1:] {
			if index.Kind == llvmir.OperandReg {
				return 0, 0, false
			}
		}
		params, off, ok = w.constantOffset(d.Args[0], depth+1)
		return params, off + d.GEP.Const, ok
	case llvmir.OpPhi, llvmir.OpSelect: // a ? a : b, at the same offset of both
		choices := d.Args
		if d.Op == llvmir.OpSelect {
			choices = d.Args[1:]
		}
		for i, a := range choices {
			p, at, known := w.constantOffset(a, depth+1)
			if !known || i > 0 && at != off {
				return 0, 0, false
			}
			params, off, ok = params|p, at, true
		}
		return params, off, ok
	}
	return 0, 0, false
}

func (w *walk) defOf(o llvmir.Operand) *llvmir.Instr {
	if o.Kind != llvmir.OperandReg || o.Reg >= len(w.def) {
		return nil
	}
	return w.def[o.Reg]
}

// pair records that a parameter may be the length of another.
func (w *walk) pair(pointer, length int, bytes bool, why string) {
	f := &w.out.params[pointer]
	f.lengths = append(f.lengths, evidence{length: length, bytes: bytes, why: why})
}

// choose chooses the length of each pointer: the next parameter, otherwise the previous one, otherwise another.
func (w *walk) choose() {
	for i := range w.out.params {
		f := &w.out.params[i]
		far := func(e evidence) int {
			switch e.length {
			case i + 1:
				return 0
			case i - 1:
				return 1
			}
			return 2
		}
		for _, e := range f.lengths {
			if f.length < 0 || far(e) < far(evidence{length: f.length}) {
				f.length, f.bytes, f.why, f.factor = e.length, e.bytes, e.why, e.factor
			}
		}
		for _, e := range f.lengths {
			if e.length == f.length {
				f.plus = max(f.plus, e.plus)
			}
		}
	}
}

// ofStructs reports whether an instruction computes the address of a struct in an array.
func ofStructs(address *llvmir.Instr) bool {
	return address.ElemType != nil && address.ElemType.Kind == llvmir.StructType
}

// elementSize returns the size of the elements between which an instruction computes an address.
func elementSize(address *llvmir.Instr) int64 {
	if address.ElemType == nil {
		return 1
	}
	return address.ElemType.Size
}

// arguments determines the C parameter of each LLVM parameter.
func (w *walk) arguments() {
	args := map[int]int{} // by variable
	w.each(func(in *llvmir.Instr) {
		if in.Op == llvmir.OpDbgDeclare && in.Var != nil && in.Var.Arg > 0 {
			if v := w.slot(in.Args[0]); v >= 0 {
				args[v] = in.Var.Arg
			} else if in.Args[0].Kind == llvmir.OperandReg && in.Args[0].Reg < len(w.f.Params) { // byval
				w.out.arg[in.Args[0].Reg] = in.Var.Arg
			}
		}
	})
	w.each(func(in *llvmir.Instr) {
		if in.Op == llvmir.OpStore && in.Args[0].Kind == llvmir.OperandReg && in.Args[0].Reg < len(w.f.Params) {
			if v := w.slot(in.Args[1]); v >= 0 && w.out.arg[in.Args[0].Reg] == 0 {
				w.out.arg[in.Args[0].Reg] = args[v]
			}
		}
	})
}
