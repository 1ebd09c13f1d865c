package clangir

import "github.com/unitproof/unitproof/vcgen/llvmir"

// Registers that pass arguments under the System V ABI, and their bytes in the save area of a va_list: general ones
// first.
const (
	generalRegisters = 6
	vectorRegisters  = 8
	generalBytes     = 8 * generalRegisters
	saveAreaBytes    = generalBytes + 16*vectorRegisters
)

// VarArgs says where the variable arguments of a call are for va_arg, which is code of clang's (System V ABI, 3.5.7):
// the first ones of their class in the area where registers were saved, the others in the overflow area. The offsets
// say that no more registers were saved than the call used: taking too many arguments gets to the end of the overflow
// area.
type VarArgs struct {
	GPOffset, FPOffset int64 // bytes from the start of the save area to the next argument of the class
	SaveArea           int64 // bytes; 0 when no argument is in it
	Overflow           int64 // bytes
	Align              int64 // of both areas, bytes
	Args               []VarArg
}

// VarArg is one of them.
type VarArg struct {
	Saved  bool // in the save area
	Offset int64
	Type   *llvmir.Type // what is passed; of a struct passed by address (ByVal), the struct
	ByVal  bool
}

// argumentClass is how an argument is passed: in a register of one of two kinds, or in memory.
type argumentClass uint8

const (
	inMemory argumentClass = iota
	inGeneral
	inVector
)

// classOf is the class of an argument of an LLVM type. What fits no register clang has split before. An integer of 128
// bits takes two, or none: up to clang 19 it comes as a whole only where two are not left, from 20 on always.
func classOf(t *llvmir.Type, byVal bool) argumentClass {
	switch {
	case byVal:
	case t.Kind == llvmir.PointerType || t.Kind == llvmir.IntType && t.Bits <= 128:
		return inGeneral
	case t.Kind == llvmir.FloatType && t.Bits != 80 || t.Kind == llvmir.VectorType && t.Size <= 16:
		return inVector
	}
	return inMemory
}

// eightBytes is how many general registers a type fills.
func eightBytes(t *llvmir.Type) int64 { return (t.Size + 7) / 8 }

// VariableArguments lays out what a call of f passes beyond its parameters. call is nil for the entry, which has
// nothing there.
func VariableArguments(f *llvmir.Func, call *llvmir.Instr) VarArgs {
	v := VarArgs{Align: 16}
	general, vector := generalRegisters, vectorRegisters
	take := func(t *llvmir.Type, byVal bool) argumentClass {
		switch c := classOf(t, byVal); {
		case c == inGeneral && int64(general) >= eightBytes(t):
			general -= int(eightBytes(t))
			return c
		case c == inVector && vector > 0:
			vector--
			return c
		}
		return inMemory
	}
	for _, p := range f.Params {
		take(p.Type, p.ByVal != nil)
	}
	saved := [3]int64{}
	if call != nil {
		for i := len(f.Params); i < len(call.Args); i++ {
			a := VarArg{Type: call.Args[i].Type}
			align := int64(8)
			if i < len(call.ByVal) && call.ByVal[i] != nil {
				a.Type, a.ByVal = call.ByVal[i], true
				align = max(align, call.ByValAlign[i])
			}
			c := take(a.Type, a.ByVal)
			switch {
			case c != inMemory:
				a.Saved, a.Offset = true, saved[c]
				saved[c] += map[argumentClass]int64{inGeneral: 8 * eightBytes(a.Type), inVector: 16}[c]
			default:
				if !a.ByVal && a.Type.Size > 8 { // the data layout knows no alignment of __int128
					align = 16
				}
				v.Align = max(v.Align, align)
				a.Offset = (v.Overflow + align - 1) &^ (align - 1)
				v.Overflow = a.Offset + (a.Type.Size+7)&^7
			}
			v.Args = append(v.Args, a)
		}
	}
	v.GPOffset, v.FPOffset = generalBytes-saved[inGeneral], saveAreaBytes-saved[inVector]
	if saved[inGeneral]+saved[inVector] > 0 {
		v.SaveArea = saveAreaBytes
	}
	for i := range v.Args {
		switch a := &v.Args[i]; {
		case a.Saved && classOf(a.Type, false) == inGeneral:
			a.Offset += v.GPOffset
		case a.Saved:
			a.Offset += v.FPOffset
		}
	}
	return v
}
