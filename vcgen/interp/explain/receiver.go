package explain

import (
	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// NameResult calls set with the variable in which the result of an instruction is stored first, or the
// parameter that gets it: now if that can be seen, or when it is stored. In a[i] = nd_int() the
// index has its value only after the call, and checks of bounds put the store into another block.
func NameResult(fr *state.Frame, in *llvmir.Instr, set func(variable string, t *llvmir.DIType)) {
	if in.Dst < 0 {
		return
	}
	// In a loop the register may still wait for the name of its last value.
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

// converts tells whether an operation hands on its first operand in another type.
func converts(op llvmir.Op) bool {
	switch op {
	case llvmir.OpZExt, llvmir.OpSExt, llvmir.OpTrunc, llvmir.OpBitCast, llvmir.OpIntToPtr, llvmir.OpPtrToInt:
		return true
	}
	return false
}

// CarryName hands a name that is waited for on to the converted value.
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

// NameStored gives the value that a store has written its name.
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

// receiver finds the variable in which the result of an instruction is stored first, or the
// parameter that gets it.
func receiver(fr *state.Frame, in *llvmir.Instr) (string, *llvmir.DIType) {
	carries := map[int]bool{in.Dst: true}
	later := map[int]bool{} // registers without their value yet
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
			// An argument of the next call is called as the parameter is.
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
