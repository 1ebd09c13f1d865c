package explain

import (
	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// NameResult calls set with the variable to which the result of an instruction is stored first.
//
// It may also be the parameter to which it is passed. The call is immediate if the variable is already determined,
// otherwise it happens at the store: in a[i] = nd_int(), the index is computed after the call, and bounds checks put
// the store into another block.
func NameResult(fr *state.Frame, in *llvmir.Instr, set func(variable string, t *llvmir.DIType)) {
	if in.Dst < 0 {
		return
	}
	// In a loop the register may still await a name for its previous value.
	delete(fr.Unnamed, in.Dst)
	if variable, t := receiver(fr, in); variable != "" {
		set(variable, t)
		return
	}
	if fr.Unnamed == nil {
		fr.Unnamed = map[int]func(string, *llvmir.DIType){}
	}
	fr.Unnamed[in.Dst] = set
}

// converts reports whether an operation returns its first operand in another type.
func converts(op llvmir.Op) bool {
	switch op {
	case llvmir.OpZExt, llvmir.OpSExt, llvmir.OpTrunc, llvmir.OpBitCast, llvmir.OpIntToPtr, llvmir.OpPtrToInt:
		return true
	}
	return false
}

// CarryName passes a pending name on to the converted value.
func CarryName(fr *state.Frame, in *llvmir.Instr) {
	if fr.Unnamed == nil {
		return
	}
	delete(fr.Unnamed, in.Dst)
	if converts(in.Op) && in.Args[0].Kind == llvmir.OperandReg {
		if set := fr.Unnamed[in.Args[0].Reg]; set != nil {
			fr.Unnamed[in.Dst] = set
		}
	}
}

// NameStored names the value that a store has written.
func NameStored(fr *state.Frame, in *llvmir.Instr) {
	if fr.Unnamed == nil || in.Args[0].Kind != llvmir.OperandReg {
		return
	}
	set := fr.Unnamed[in.Args[0].Reg]
	if set == nil {
		return
	}
	delete(fr.Unnamed, in.Args[0].Reg)
	if p := PlaceOf(fr, in.Args[1]); p.Known {
		set(p.Part(uint64(in.Args[0].Type.StoreSize)))
	}
}

// receiver returns the variable to which the result of an instruction is stored first.
//
// It may also be the parameter to which it is passed.
func receiver(fr *state.Frame, in *llvmir.Instr) (string, *llvmir.DIType) {
	carries := map[int]bool{in.Dst: true}
	later := map[int]bool{} // registers that are not computed yet
	seen := false
	for _, i := range fr.Block.Instrs {
		if i == in {
			seen = true
			continue
		}
		if !seen {
			continue
		}
		if i.Dst >= 0 {
			later[i.Dst] = true
		}
		if converts(i.Op) && i.Args[0].Kind == llvmir.OperandReg && carries[i.Args[0].Reg] {
			carries[i.Dst] = true
		}
		switch i.Op {
		case llvmir.OpStore:
			if i.Args[0].Kind != llvmir.OperandReg || !carries[i.Args[0].Reg] {
				continue
			}
			if p := PlaceOf(fr, i.Args[1]); p.Known && !indexedBy(fr, i.Args[1], later) {
				name, t := p.Part(uint64(i.Args[0].Type.StoreSize))
				return name, t
			}
			return "", nil
		case llvmir.OpCall:
			// An argument of the next call has the parameter's name.
			f := i.Function()
			if f == nil {
				continue
			}
			for k, a := range i.Args {
				if a.Kind == llvmir.OperandReg && carries[a.Reg] && k < len(f.Params) && f.Params[k].DIType != nil &&
					len(f.Blocks) > 0 {
					return f.Params[k].Name, f.Params[k].DIType
				}
			}
		}
	}
	return "", nil
}
