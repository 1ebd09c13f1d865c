package clangir

import (
	"math/big"
	"slices"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// endLiterals gives compound literals their lifetime in C: that of the enclosing block.
//
// Clang marks only lifetimes of variables; a literal lives as long as the call. The block is the scope of the
// literal's initialization in the debug information. The lifetime begins there and ends when an instruction of
// another scope is reached.
func (f *function) endLiterals() {
	for _, in := range slices.Clone(f.fn.Blocks[0].Instrs) {
		if in.Op == llvmir.OpAlloca && f.stem(in.Dst) == ".compoundliteral" {
			f.endLiteral(in)
		}
	}
}

func (f *function) endLiteral(al *llvmir.Instr) {
	block, at := f.firstUse(al.Dst)
	if block == nil {
		return
	}
	use := block.Instrs[at]
	if use.Loc == nil || use.Loc.Scope == nil || use.Loc.Scope.Parent == nil || use.Loc.InlinedAt != nil {
		return // its lifetime ends with the call
	}
	scope := use.Loc.Scope
	// state: 1 in the scope, -1 outside, 0 for instructions without a position.
	state := func(in *llvmir.Instr) int {
		if in.Loc == nil || in.Loc.Scope == nil || in.Op == llvmir.OpPhi || in.Op == llvmir.OpAlloca ||
			in.Op == llvmir.OpDbgDeclare || in.Op == llvmir.OpDbgValue {
			return 0
		}
		for s := in.Loc.Scope; s != nil; s = s.Parent {
			if s == scope {
				return 1
			}
		}
		return -1
	}
	leaves := make([]bool, len(f.fn.Blocks)) // control may be in the scope at the end of the block
	for changed := true; changed; {
		changed = false
		for _, b := range f.fn.Blocks {
			in := f.entered(b, leaves)
			for _, x := range b.Instrs {
				if s := state(x); s != 0 {
					in = s > 0
				}
			}
			if in != leaves[b.Index] {
				leaves[b.Index], changed = in, true
			}
		}
	}
	for _, b := range f.fn.Blocks {
		in := f.entered(b, leaves)
		for k := 0; k < len(b.Instrs); k++ {
			x := b.Instrs[k]
			switch s := state(x); {
			case x == use:
				b.Instrs = slices.Insert(b.Instrs, k, f.lifetime("lifetime.start", al, x.Loc))
				in = true
				k++
			case s < 0 && in:
				b.Instrs = slices.Insert(b.Instrs, k, f.lifetime("lifetime.end", al, x.Loc))
				in = false
				k++
			case s > 0:
				in = true
			}
		}
	}
}

// entered reports whether some predecessor of b ends in the scope.
func (f *function) entered(b *llvmir.Block, leaves []bool) bool {
	return slices.ContainsFunc(b.Preds, func(p int) bool { return leaves[p] })
}

// firstUse returns the first instruction in the text that uses a register.
func (f *function) firstUse(reg int) (*llvmir.Block, int) {
	for _, b := range f.fn.Blocks {
		for k, in := range b.Instrs {
			if usesReg(in, reg) {
				return b, k
			}
		}
	}
	return nil, 0
}

// lifetime returns a new marker for the object of an alloca.
func (f *function) lifetime(name string, al *llvmir.Instr, at *llvmir.Loc) *llvmir.Instr {
	size, void := f.m.Int64, f.m.Void
	fn := &llvmir.Func{Name: "llvm." + name, SourceName: "llvm." + name, Ret: void}
	args := []llvmir.Operand{
		constant(&llvmir.Const{Kind: llvmir.ConstInt, Type: size, Int: big.NewInt(al.ElemType.Size)}),
		{Kind: llvmir.OperandReg, Reg: al.Dst, Type: al.Type},
	}
	call := &llvmir.Type{Kind: llvmir.FuncType, Ret: void, Params: []*llvmir.Type{size, al.Type}}
	pointer := al.Type // opaque pointers have a single type
	if pointer.Elem != nil {
		pointer = &llvmir.Type{Kind: llvmir.PointerType, Elem: call, Size: 8, StoreSize: 8, Align: 8}
	}
	return &llvmir.Instr{Op: llvmir.OpCall, Ordinal: -1, Dst: -1, Type: void, Args: args, Intrinsic: name, Loc: at,
		FuncType: call, Callee: constant(&llvmir.Const{Kind: llvmir.ConstFunc, Type: pointer, Func: fn})}
}

func constant(k *llvmir.Const) llvmir.Operand {
	return llvmir.Operand{Kind: llvmir.OperandConst, Type: k.Type, Const: k}
}
