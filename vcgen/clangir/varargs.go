package clangir

import (
	"strings"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

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
	// List are the members of the va_list.
	List []ListMember
	// Unsupported is the reason why the arguments cannot be passed; "" if they can.
	Unsupported string
}

// ListMember is a member of a va_list: a number, or the address of an area plus Number.
type ListMember struct {
	Off, Size int64
	Number    uint64
	Area      Area
}

// Area is an area of variable arguments.
type Area uint8

// Areas.
const (
	NoArea Area = iota
	OverflowArea
	SavedArea
)

// listOf returns the members of a va_list of a target other than x86-64 System V, none if it is not supported.
//
// All arguments are in the overflow area, and the list says that its registers are used up. right reports whether a
// small argument is at the end of its slot.
func listOf(l *llvmir.Layout) (members []ListMember, right bool) {
	arch, _, _ := strings.Cut(l.Triple, "-")
	is := func(names ...string) bool {
		for _, n := range names {
			if strings.HasPrefix(arch, n) {
				return true
			}
		}
		return false
	}
	area := func(off int64) ListMember {
		return ListMember{Off: off, Size: int64(l.Pointer) / 8, Area: OverflowArea}
	}
	number := func(off, size int64, n uint64) ListMember { return ListMember{Off: off, Size: size, Number: n} }
	windows := strings.Contains(l.Triple, "windows")
	switch {
	case is("aarch64", "arm64") && !windows && !strings.Contains(l.Triple, "apple"):
		// { void *stack, *gr_top, *vr_top; int gr_offs, vr_offs; }: from offset 0 on, arguments are on the stack
		return []ListMember{area(0), number(8, 8, 0), number(16, 8, 0), number(24, 4, 0), number(28, 4, 0)}, false
	case is("powerpc") && l.Pointer == 32:
		// { unsigned char gpr, fpr; unsigned short reserved; void *overflow_arg_area, *reg_save_area; }
		return []ListMember{number(0, 1, 8), number(1, 1, 8), number(2, 2, 0), area(4), number(8, 4, 0)}, false
	case is("s390x"):
		// { long gpr, fpr; void *overflow_arg_area, *reg_save_area; }
		return []ListMember{number(0, 8, 5), number(8, 8, 4), area(16), number(24, 8, 0)}, true
	case is("powerpc64"):
		return []ListMember{area(0)}, true
	case l.X86() && (l.Pointer == 32 || windows) || is("arm", "thumb", "aarch64", "riscv", "mips", "msp430"):
		return []ListMember{area(0)}, false
	}
	return nil, false
}

// ListSize returns the size of a va_list in bytes, 0 if the target is not supported.
func ListSize(l *llvmir.Layout) int64 {
	if l.SystemV() && l.Pointer == 64 {
		return 24
	}
	members, _ := listOf(l)
	if len(members) == 0 {
		return 0
	}
	last := members[len(members)-1]
	return last.Off + last.Size
}

// stacked is VariableArguments for targets on which all arguments are in the overflow area.
//
// Each is in as many slots of the size of a pointer as it needs, and aligned to two slots if its type is.
func stacked(l *llvmir.Layout, f *llvmir.Func, call *llvmir.Instr) VarArgs {
	slot := int64(l.Pointer) / 8
	v := VarArgs{Align: 2 * slot}
	members, right := listOf(l)
	v.List = members
	if members == nil {
		v.Unsupported = "variable arguments of target " + l.Triple
		return v
	}
	if call == nil {
		return v
	}
	mips := strings.HasPrefix(l.Triple, "mips")
	if mips {
		v.Overflow = named(f, slot) % (2 * slot)
		v.List = []ListMember{{Size: slot, Area: OverflowArea, Number: uint64(v.Overflow)}}
	}
	for i := len(f.Params); i < len(call.Args); i++ {
		a := VarArg{Type: call.Args[i].Type}
		align := min(max(alignmentOf(l, a.Type), slot), 2*slot)
		switch {
		case i >= len(call.ByVal) || call.ByVal[i] == nil:
		case strings.HasPrefix(l.Triple, "powerpc-"):
			// The slot has the address of the copy, at the alignment of the struct: clang's va_arg skips to it.
			align = max(call.ByValAlign[i], slot)
			v.Align = max(v.Align, align)
		case strings.HasPrefix(l.Triple, "msp430"): // the slot has the address of the copy
		case len(members) > 1:
			v.Unsupported = "a struct among the variable arguments of target " + l.Triple
		default:
			a.Type, a.ByVal = call.ByVal[i], true
			align = min(max(call.ByValAlign[i], slot), 2*slot)
		}
		a.Offset = (v.Overflow + align - 1) &^ (align - 1)
		v.Overflow = a.Offset + (a.Type.Size+slot-1)&^(slot-1)
		bytes := a.Type.Size
		if right { // a struct of three bytes is an i24 on PowerPC of 64 bits, which has an alignment of four
			bytes = a.Type.StoreSize
		}
		if bytes < slot && l.BigEndian && !mips {
			if !right {
				v.Unsupported = "a small variable argument of target " + l.Triple
			}
			a.Offset += slot - bytes
		}
		v.Args = append(v.Args, a)
	}
	return v
}

// alignmentOf returns the alignment of a variable argument of type t that is not passed by address.
func alignmentOf(l *llvmir.Layout, t *llvmir.Type) int64 {
	if strings.HasPrefix(l.Triple, "powerpc64") {
		// A struct that is aligned to 16 bytes is passed as [N x i128], whose alignment in the data layout is 8.
		// An __int128 is aligned to 8.
		if t.Kind == llvmir.ArrayType {
			return t.Elem.Size
		}
		if t.Kind == llvmir.IntType {
			return 8
		}
	}
	return t.Align
}

// named returns the size of the slots of a function's parameters, behind which the variable arguments are. On MIPS
// clang passes an argument without a value before a struct that needs it to be aligned.
func named(f *llvmir.Func, slot int64) (size int64) {
	for _, p := range f.Params {
		t := p.Type
		if p.ByVal != nil {
			t = p.ByVal
		}
		align := min(max(t.Align, slot), 2*slot)
		size = (size+align-1)&^(align-1) + (t.Size+slot-1)&^(slot-1)
	}
	return size
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
func VariableArguments(l *llvmir.Layout, f *llvmir.Func, call *llvmir.Instr) VarArgs {
	if !l.SystemV() {
		return stacked(l, f, call)
	}
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
	// struct { unsigned gp_offset, fp_offset; void *overflow_arg_area, *reg_save_area; }
	v.List = []ListMember{{Off: 0, Size: 4, Number: uint64(v.GPOffset)}, {Off: 4, Size: 4, Number: uint64(v.FPOffset)},
		{Off: 8, Size: 8, Area: OverflowArea}, {Off: 16, Size: 8}}
	if v.SaveArea > 0 {
		v.List[3].Area = SavedArea
	}
	return v
}
