package clangir

import (
	"math/big"
	"slices"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Within is an array whose bounds an access must respect, with the indices of the access.
//
// The sum of the indices, of 64 bits and modulo 2^64 if there are several, must be less than Len. The sanitizer
// checks the index of a subscript, but clang omits that check, or allows the address past the last element, in these
// cases:
//
//   - operands of ++ and --,
//   - expressions in parentheses,
//   - structs that are copied,
//   - *(a + i) and *(a + i + j),
//   - functions that are not sanitized.
type Within struct {
	Indices []llvmir.Operand // at least one
	Len     int64
	At      *llvmir.Instr // the address computation; nil for a constant address, and for elements of vectors
}

// boundAccesses finds, for each access, the arrays inside of objects whose elements it uses.
//
// Arrays that are separate objects need no such check, because an access outside of them is outside of the object.
// Optimizations are off, so registers lead from an access only to its own expression. A pointer that was stored in a
// variable is not part of that expression: it may have been compared in the meantime.
func (f *function) boundAccesses() {
	a := accesses{function: f, def: make([]*llvmir.Instr, f.fn.NumRegs), block: make([]*llvmir.Block, f.fn.NumRegs),
		uses: make([]int, f.fn.NumRegs), done: map[*llvmir.Instr]bool{}}
	for _, b := range f.fn.Blocks {
		for _, in := range b.Instrs {
			if in.Dst >= 0 {
				a.def[in.Dst], a.block[in.Dst] = in, b
			}
			for _, o := range in.Args {
				if o.Kind == llvmir.OperandReg && in.Op != llvmir.OpDbgDeclare && in.Op != llvmir.OpDbgValue {
					a.uses[o.Reg]++
				}
			}
		}
	}
	for _, b := range f.fn.Blocks {
		for _, in := range b.Instrs {
			for _, address := range accessed(in) {
				a.add(b, in, a.arrays(address))
			}
			a.lane(b, in)
		}
	}
}

// accesses is a function with the definitions of its registers, except parameters, their blocks, and numbers of uses.
type accesses struct {
	*function
	def   []*llvmir.Instr
	block []*llvmir.Block
	uses  []int
	// done has the address computations whose index an access in the same block checks: later accesses come after it.
	done map[*llvmir.Instr]bool
}

// add makes an instruction check the indices of arrays.
func (a *accesses) add(b *llvmir.Block, in *llvmir.Instr, arrays []Within) {
	for _, w := range arrays {
		if w.At != nil {
			if a.done[w.At] {
				continue
			}
			a.done[w.At] = a.block[w.At.Dst] == b
		}
		facts := a.m.about(in)
		facts.Within = append(facts.Within, w)
	}
}

// accessed lists the addresses at which an instruction accesses memory.
func accessed(in *llvmir.Instr) (list []llvmir.Operand) {
	switch {
	case in.Op == llvmir.OpLoad, in.Op == llvmir.OpCmpXchg, in.Op == llvmir.OpAtomicRMW:
		return in.Args[:1]
	case in.Op == llvmir.OpStore:
		return in.Args[1:2]
	case in.Op == llvmir.OpInlineAsm:
		for i, t := range in.Indirect {
			if t != nil {
				list = append(list, in.Args[i])
			}
		}
	case in.Intrinsic == "memcpy" || in.Intrinsic == "memmove": // of a struct
		if n := in.Args[2].Const; n != nil && n.Kind == llvmir.ConstInt && n.Int.Sign() > 0 {
			return in.Args[:2]
		}
	case in.Op == llvmir.OpCall && in.Intrinsic == "":
		fn := in.Function()
		for i, o := range in.Args {
			if i < len(in.ByVal) && in.ByVal[i] != nil || fn != nil && i < len(fn.Params) && fn.Params[i].SRet != nil {
				list = append(list, o)
			}
		}
	}
	return list
}

// lane adds the check of an index into a vector. Its elements have no address, so the access itself would not be
// checked.
func (a *accesses) lane(b *llvmir.Block, in *llvmir.Instr) {
	if in.Op != llvmir.OpExtractElement && in.Op != llvmir.OpInsertElement {
		return
	}
	index, n := in.Args[len(in.Args)-1], in.Args[0].Type.Len
	if limit, strict, checked := a.limit(in, index); !isBelow(index, n) && !(checked && strict && limit == n) {
		a.add(b, in, []Within{{Indices: []llvmir.Operand{index}, Len: n}})
	}
}

// arrays lists the arrays through which an address is computed, innermost first.
//
// A computation in bytes, as in container_of, ends the list, because it may reach any part of the object.
func (a *accesses) arrays(address llvmir.Operand) (out []Within) {
	for address.Kind == llvmir.OperandReg {
		at := a.def[address.Reg]
		switch {
		case at == nil || at.Op == llvmir.OpGEP && at.GEP == nil:
			return out
		case at.Op == llvmir.OpPhi:
			a.conditional(at)
			return out
		case at.Op == llvmir.OpGEP:
			w, first := a.element(at)
			if w.At != nil {
				out = append(out, w)
			}
			if first == nil {
				return out
			}
			at = first
		case at.Op != llvmir.OpBitCast:
			return out
		}
		address = at.Args[0]
	}
	if k := address.Const; k != nil && k.Outside != nil {
		index := &llvmir.Const{Kind: llvmir.ConstInt, Type: a.m.Int64, Int: new(big.Int).SetUint64(uint64(k.Outside.Index))}
		out = append(out, Within{Indices: []llvmir.Operand{constant(index)}, Len: k.Outside.Len})
	}
	return out
}

// conditional adds the checks for the address of a conditional expression, *(c ? &a[i] : &b[j]).
//
// They are made in the predecessors of the phi, in which the array is known. An address with other uses is skipped,
// because these need not be accesses.
func (a *accesses) conditional(phi *llvmir.Instr) {
	if a.uses[phi.Dst] != 1 {
		return
	}
	for i, from := range phi.In {
		way := phi.Args[i]
		if way.Kind == llvmir.OperandReg && (a.uses[way.Reg] != 1 || a.block[way.Reg] == a.block[phi.Dst]) {
			continue
		}
		if b := a.fn.Blocks[from]; b.Term().Op == llvmir.OpBr {
			a.add(b, b.Term(), a.arrays(way))
		}
	}
}

// element returns the array of the element that an address computation selects, if its index must be checked here.
//
// first is the computation whose base leads to the enclosing arrays; nil if they need no check.
func (a *accesses) element(at *llvmir.Instr) (w Within, first *llvmir.Instr) {
	g := at.GEP
	if g.Index.Type == nil { // a member of a struct
		return Within{}, at
	}
	n, strict, checked := a.limit(at, g.Index)
	switch {
	case g.Len >= 0 && (isBelow(g.Index, g.Len) || checked && strict && n == g.Len):
		return Within{}, at
	case g.Len >= 0:
		if checked && n == g.Len && !a.ownObject(at) || a.inside(at) {
			w = Within{[]llvmir.Operand{g.Index}, g.Len, at}
		}
		return w, at
	case isBelow(g.Index, 1):
		return Within{}, at
	}
	// a + i + j for an array a of such elements
	indices := []llvmir.Operand{g.Index}
	for first = at; !checked; {
		before := a.definition(first.Args[0])
		if before == nil || !isStep(before, at.ElemType) {
			break
		}
		first, indices = before, append(indices, before.GEP.Index)
		n, _, checked = a.limit(first, before.GEP.Index)
	}
	array, length := first, n
	if decay := a.definition(first.Args[0]); decay != nil {
		if decay.Op != llvmir.OpGEP || decay.GEP == nil || decay.GEP.Len < 0 || !isBelow(decay.GEP.Index, 1) ||
			decay.ElemType.Elem != at.ElemType || a.stem(decay.Dst) != "arraydecay" {
			return Within{}, nil
		}
		length = decay.GEP.Len
		if array = decay; checked || a.inside(decay) {
			w = Within{indices, length, at}
		}
	} else if checked {
		w = Within{indices, length, at}
	}
	if w.At == nil || a.ownObject(array) {
		return Within{}, nil
	}
	return w, first
}

// isStep reports whether an address computation moves from one element to another, as p + i does.
func isStep(at *llvmir.Instr, elem *llvmir.Type) bool {
	return at.Op == llvmir.OpGEP && at.GEP != nil && at.GEP.Index.Type != nil && at.GEP.Len < 0 && at.ElemType == elem
}

// inside reports whether an address computation selects an element of an array inside an object, of fixed length.
//
// Clang treats an array of no or of one element at the end of a struct as flexible, and so are such arrays in a
// union.
func (a *accesses) inside(at *llvmir.Instr) bool {
	switch def := a.definition(at.Args[0]); {
	case at.GEP.Len < 1 || a.ownObject(at):
		return false
	case at.GEP.Len > 1:
		return true
	case def == nil || def.Op != llvmir.OpGEP || def.GEP == nil:
		return false
	default:
		return def.GEP.Index.Type == nil && !def.GEP.Last || def.GEP.Len > 0
	}
}

func (a *accesses) definition(o llvmir.Operand) *llvmir.Instr {
	if o.Kind != llvmir.OperandReg {
		return nil
	}
	return a.def[o.Reg]
}

// ownObject reports whether the array of an address computation is a separate variable.
func (a *accesses) ownObject(at *llvmir.Instr) bool {
	if def := a.definition(at.Args[0]); def != nil {
		return def.Op == llvmir.OpAlloca && def.ElemType == at.ElemType
	}
	k := at.Args[0].Const
	return k != nil && k.Kind == llvmir.ConstGlobal && k.Offset == 0 && k.Global.Type.Kind == llvmir.ArrayType &&
		(at.ElemType == k.Global.Type || at.ElemType == k.Global.Type.Elem)
}

// limit returns the bound in the sanitizer's check of an index: index < n, or index <= n if the check is not strict.
func (a *accesses) limit(at *llvmir.Instr, index llvmir.Operand) (n int64, strict, checked bool) {
	b := a.block[at.Dst]
	if len(b.Preds) != 1 {
		return 0, false, false
	}
	br := a.fn.Blocks[b.Preds[0]].Term()
	if br.Op != llvmir.OpCondBr || br.Succs[0] != b.Index {
		return 0, false, false
	}
	cmp := a.definition(br.Args[0])
	if cmp == nil || cmp.Op != llvmir.OpICmp || !cmp.NoSanitize ||
		cmp.Pred != llvmir.PredULT && cmp.Pred != llvmir.PredULE ||
		!same(a.unconverted(cmp.Args[0]), a.unconverted(index)) {
		return 0, false, false
	}
	k := cmp.Args[1].Const
	if k == nil || k.Kind != llvmir.ConstInt || !k.Int.IsInt64() {
		return 0, false, false
	}
	return k.Int.Int64(), cmp.Pred == llvmir.PredULT, true
}

// unconverted returns an index before its conversion to the width of addresses.
func (a *accesses) unconverted(o llvmir.Operand) llvmir.Operand {
	for {
		def := a.definition(o)
		if def == nil || !slices.Contains([]llvmir.Op{llvmir.OpZExt, llvmir.OpSExt}, def.Op) &&
			(def.Op != llvmir.OpTrunc || a.m.Of(def).Extent == NoExtent) {
			return o
		}
		o = def.Args[0]
	}
}

// isBelow reports whether an index is a constant in [0, n).
func isBelow(o llvmir.Operand, n int64) bool {
	if o.Kind != llvmir.OperandConst || o.Const == nil || o.Const.Kind != llvmir.ConstInt {
		return false
	}
	v := o.Const.Signed()
	return v.Sign() >= 0 && v.Cmp(big.NewInt(n)) < 0
}
