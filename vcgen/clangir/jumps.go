package clangir

import (
	"slices"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// threadJumps gives each jump out of a C block a separate path to end lifetimes.
//
// If return, break, continue or goto leave a scope with variables, clang stores the kind of the jump in a variable,
// leads all jumps and the fallthrough path through the same blocks, and ends these with a switch over the variable:
//
//	store i32 1, ptr %cleanup.dest.slot   ; return
//	br label %cleanup
//	cleanup:                              ; ends lifetimes
//	  %d = load i32, ptr %cleanup.dest.slot
//	  switch i32 %d, ...
//
// In these blocks the state of an execution that returned would be merged with that of one that continues, only to be
// separated again; the merged values would remain choices while an enclosing loop runs. Therefore these blocks are
// copied for each number that reaches them: jump threading (Muchnick, "Advanced Compiler Design and Implementation",
// 1997, 18.11).
//
// The end of a function is likewise copied for each constant that it returns: a caller that checks for an error does
// not merge it with success. Original blocks remain even if they are unreachable, because code that rewrites the text
// needs them.
func (f *function) threadJumps() {
	t := threads{function: f, slot: -1, result: -1, copies: map[thread]int{}}
	for _, in := range f.fn.Blocks[0].Instrs {
		if in.Op == llvmir.OpAlloca {
			switch f.stem(in.Dst) {
			case jumpSlot:
				t.slot = in.Dst
			case returnSlot:
				t.result = in.Dst
			}
		}
	}
	if t.slot < 0 && t.result < 0 {
		return
	}
	t.findUses()
	for _, b := range slices.Clone(f.fn.Blocks) {
		if b.Term().Op == llvmir.OpBr {
			b.Succs[0] = t.along(b.Succs[0], t.lastStored(b, t.slot), t.lastStored(b, t.result))
		}
	}
	f.fn.Connect()
}

// A thread is a block entered with constants in the slot and as the result; "" if they are unknown.
type thread struct {
	block        int
	dest, result string
}

type threads struct {
	*function
	slot, result int            // registers of allocas: the kind of the jump, and the result; -1: there is none
	copies       map[thread]int // the copy of the block
	within       []int          // by register: the block with all of its uses, otherwise another number
}

func (t *threads) findUses() {
	const unused = -2
	t.within = slices.Repeat([]int{unused}, t.fn.NumRegs)
	for _, b := range t.fn.Blocks {
		for _, in := range b.Instrs {
			for _, a := range append(in.Args[:len(in.Args):len(in.Args)], in.Callee) {
				switch {
				case a.Kind != llvmir.OperandReg:
				case t.within[a.Reg] == unused || t.within[a.Reg] == b.Index:
					t.within[a.Reg] = b.Index
				default:
					t.within[a.Reg] = -1
				}
			}
		}
	}
}

// lastStored returns the constant that a block finally stores in a variable; nil if its last store is missing or no
// constant.
func (t *threads) lastStored(b *llvmir.Block, slot int) *llvmir.Const {
	for _, in := range slices.Backward(b.Instrs) {
		if in.Op == llvmir.OpStore && isReg(in.Args[1], slot) {
			k := in.Args[0].Const
			if in.Args[0].Kind != llvmir.OperandConst || k.Kind != llvmir.ConstInt && k.Kind != llvmir.ConstNull {
				return nil
			}
			return k
		}
	}
	return nil
}

// along returns the block to use instead of block to, given constants in the slot and as the result; nil if unknown.
//
// The blocks that end lifetimes are copied, up to a switch over the slot or the end of the function.
func (t *threads) along(to int, dest, result *llvmir.Const) int {
	const nowhere = -1
	var chain []int
	decided, behind := 0, to
	for at := to; at != nowhere && len(chain) < len(t.fn.Blocks) && t.endsLifetimes(t.fn.Blocks[at]); {
		chain = append(chain, at)
		switch term := t.fn.Blocks[at].Term(); {
		case term.Op == llvmir.OpBr:
			at = term.Succs[0]
			continue
		case term.Op == llvmir.OpSwitch && dest != nil:
			i := slices.IndexFunc(term.Cases, func(c *llvmir.Const) bool { return c.Int.Cmp(dest.Int) == 0 })
			at = term.Succs[1+i]
		case term.Op == llvmir.OpRet && result != nil:
			at = nowhere
		default:
			chain = chain[:len(chain)-1]
			at = nowhere
			continue
		}
		decided, behind = len(chain), at
	}
	if decided == 0 || behind != nowhere && t.fn.Blocks[behind].Instrs[0].Op == llvmir.OpPhi {
		return to
	}
	for _, at := range slices.Backward(chain[:decided]) {
		th := thread{at, constantText(dest), constantText(result)}
		c, ok := t.copies[th]
		if !ok {
			c = t.copy(t.fn.Blocks[at], behind)
			t.copies[th] = c
		}
		behind = c
	}
	return behind
}

func constantText(k *llvmir.Const) string {
	switch {
	case k == nil:
		return ""
	case k.Kind == llvmir.ConstNull:
		return "null"
	}
	return k.Int.String()
}

// endsLifetimes reports whether a block only ends lifetimes before it continues or returns.
//
// The successor is fixed or chosen by the slot.
func (t *threads) endsLifetimes(b *llvmir.Block) bool {
	for _, in := range b.Instrs[:len(b.Instrs)-1] {
		switch {
		case in.Dst >= 0 && t.within[in.Dst] != b.Index:
			return false
		case in.Op == llvmir.OpBitCast:
		case in.Op == llvmir.OpLoad && t.isOwnVariable(in.Args[0]):
		case in.Intrinsic == "lifetime.end", in.Intrinsic == "invariant.end", in.Intrinsic == "stackrestore":
		default:
			return false
		}
	}
	loads := func(a llvmir.Operand, slot int) bool {
		return slices.ContainsFunc(b.Instrs, func(in *llvmir.Instr) bool {
			return in.Op == llvmir.OpLoad && isReg(a, in.Dst) && isReg(in.Args[0], slot)
		})
	}
	switch term := b.Term(); term.Op {
	case llvmir.OpBr:
		return true
	case llvmir.OpSwitch:
		return loads(term.Args[0], t.slot)
	case llvmir.OpRet:
		return len(term.Args) > 0 && loads(term.Args[0], t.result)
	}
	return false
}

// isOwnVariable reports whether an address is that of one of clang's variables that are loaded at ends of lifetimes.
func (t *threads) isOwnVariable(a llvmir.Operand) bool {
	return isReg(a, t.slot) || isReg(a, t.result) || a.Kind == llvmir.OperandReg && t.stem(a.Reg) == "saved_stack"
}

// copy creates a copy of block b with the single successor to, unless b returns.
func (t *threads) copy(b *llvmir.Block, to int) int {
	c := &llvmir.Block{Index: len(t.fn.Blocks), Name: b.Name}
	regs := map[int]int{}
	for _, in := range b.Instrs {
		if in == b.Term() && in.Op != llvmir.OpRet {
			c.Succs = []int{to}
			in = &llvmir.Instr{Op: llvmir.OpBr, Dst: -1, Type: t.m.Void, Succs: c.Succs, Loc: in.Loc}
		}
		x := *in
		x.Ordinal = -1
		x.Args = slices.Clone(in.Args)
		for i, a := range x.Args {
			if r, ok := regs[a.Reg]; ok && a.Kind == llvmir.OperandReg {
				x.Args[i].Reg = r
			}
		}
		if in.Dst >= 0 {
			x.Dst = t.fn.NumRegs
			regs[in.Dst] = x.Dst
			t.fn.NumRegs++
			t.fn.RegNames = append(t.fn.RegNames, t.fn.RegNames[in.Dst])
		}
		if parts, ok := t.m.constants[in]; ok {
			t.m.constants[&x] = parts
		}
		c.Instrs = append(c.Instrs, &x)
	}
	t.fn.Blocks = append(t.fn.Blocks, c)
	return c.Index
}

func isReg(a llvmir.Operand, reg int) bool { return a.Kind == llvmir.OperandReg && a.Reg == reg }
