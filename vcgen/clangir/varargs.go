package clangir

import "github.com/unitproof/unitproof/vcgen/llvmir"

// Registers that pass arguments under the System V ABI, and their bytes in the save area of a va_list: general
// registers first.
const (
	generalRegisters = 6
	vectorRegisters  = 8
	generalBytes     = 8 * generalRegisters
	saveAreaBytes    = generalBytes + 16*vectorRegisters
)

// VarArgs is the layout of the variable arguments of a call for clang's code of va_arg (System V ABI, 3.5.7).
//
// The first arguments of each class are in the save area of registers, the others in the overflow area. The offsets
// claim that only the registers used by the call were saved: reading too many arguments reaches the end of the
// overflow area.
type VarArgs struct {
	GPOffset, FPOffset int64 // bytes from the start of the save area to the next argument of the class
	SaveArea           int64 // bytes; 0 if it has no arguments
	Overflow           int64 // bytes
	Align              int64 // of both areas, bytes
	Args               []VarArg
}

// VarArg is one variable argument.
type VarArg struct {
	Saved  bool // in the save area
	Offset int64
	Type   *llvmir.Type // the type of the argument; of a struct passed by address (ByVal), the struct
	ByVal  bool
}

// argumentClass is the way an argument is passed: in a register of one of two kinds, or in memory.
type argumentClass uint8

const (
	inMemory argumentClass = iota
	inGeneral
	inVector
)

// classOf returns the class of an argument of an LLVM type.
//
// Clang has split larger types. An integer of 128 bits takes two registers or none: up to clang 19 it is a single
// argument only if fewer than two are left, from clang 20 on always.
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

// eightBytes returns the number of general registers that a type fills.
func eightBytes(t *llvmir.Type) int64 { return (t.Size + 7) / 8 }

// VariableArguments returns the layout of the arguments that a call of f passes beyond its parameters.
//
// call is nil for the entry, which has none.
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
				if !a.ByVal && a.Type.Size > 8 { // the data layout has no alignment of __int128
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
