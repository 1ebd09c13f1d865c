package explain

import (
	"fmt"
	"path"
	"strings"

	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// VariableArguments is the name of the objects that hold variable arguments.
const VariableArguments = "the variable arguments"

// Access is a range of memory that an instruction is about to access.
type Access struct {
	Ptr   state.Value
	Op    *llvmir.Operand // the pointer in the program, for messages; nil if there is none
	N     uint64          // bytes
	Write bool
	Align uint64 // checked if above 1
}

// AccessText returns the beginning of the sentence about an access: "writes 4 bytes".
func (w *View) AccessText(a Access) string {
	if a.Write {
		return "writes " + BytesWord(a.N)
	}
	return "reads " + BytesWord(a.N)
}

func BytesWord(n uint64) string {
	if n == 1 {
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes", n)
}

// NullMessage returns the sentence about a dereference of NULL.
func (w *View) NullMessage(a Access) string {
	if a.Op != nil && len(w.Frames) > 0 {
		if p := PlaceOf(w.Top(), *a.Op); p.Known && p.deref && p.off == int64(a.Ptr.Bits) {
			if what, t := p.Part(a.N); t != nil {
				verb := "reads"
				if a.Write {
					verb = "writes"
				}
				return fmt.Sprintf("%s `%s`, but `%s` is NULL", verb, what, p.text)
			}
			return w.AccessText(a) + " through `" + w.say(p.text) + "`, which is NULL"
		}
	}
	if name := w.nameOfPointer(a, nil); name != "" {
		return w.AccessText(a) + " through `" + w.say(name) + "`, which is NULL"
	}
	if a.Ptr.Bits == 0 {
		return w.AccessText(a) + " at NULL"
	}
	return fmt.Sprintf("%s at address %d, which is NULL with an offset", w.AccessText(a), a.Ptr.Bits)
}

// PointerWord returns the name of an access's pointer, or its value.
func (w *View) PointerWord(a Access) string {
	value := w.Pointer(a.Ptr, nil)
	if a.Op != nil {
		if p := PlaceOf(w.Top(), *a.Op); p.Known && p.deref {
			if p.off == 0 {
				return fmt.Sprintf("`%s` (%s)", w.say(p.text), value)
			}
			return fmt.Sprintf("offset %d of `%s` (%s)", p.off, w.say(p.text), value)
		}
	}
	return value
}

// PlaceMessage returns the sentence about an access to an object.
func (w *View) PlaceMessage(a Access, o *state.Object, off uint64) string {
	name := w.nameOfPointer(a, o)
	s := fmt.Sprintf("%s at offset %d of %s", w.AccessText(a), int64(off), w.Describe(o, name))
	if o.Kind != state.OnHeap && o.Source != "" && name != "" && name != o.Source &&
		!strings.HasPrefix(name, o.Source+"[") && !strings.HasPrefix(name, o.Source+".") {
		s += " through `" + name + "`"
	}
	if o.Live {
		return s
	}
	if o.Kind == state.OnStack {
		return s + ", whose lifetime ended" + w.AtPlace(found.Mention{What: found.OutOfScope}, o.Ended)
	}
	return s + ", which was freed" + w.AtPlace(found.Mention{What: found.Freed}, o.Ended)
}

// nameOfPointer returns the user's expression for the pointer of an access.
//
// Inside the library that is the argument of the user's call that points into the same object.
func (w *View) nameOfPointer(a Access, o *state.Object) string {
	for i := len(w.Frames) - 1; i >= 0; i-- {
		fr, at := w.Frames[i], w.At
		if i+1 < len(w.Frames) {
			at = w.Frames[i+1].Call
		}
		if l := state.LocOf(fr.Fn, at); l == nil || !w.UserFile(l.File) {
			continue
		}
		if i+1 == len(w.Frames) {
			if a.Op == nil {
				return ""
			}
			if p := PlaceOf(fr, *a.Op); p.Known && p.deref {
				return p.text
			}
			return ""
		}
		for _, arg := range at.Args {
			if arg.Kind == llvmir.OperandReg && arg.Type != nil && arg.Type.Kind == llvmir.PointerType &&
				fr.Regs[arg.Reg].Obj == o &&
				(o != nil || fr.Regs[arg.Reg].Bits == a.Ptr.Bits) {
				return pointerName(fr, arg)
			}
		}
		return ""
	}
	return ""
}

// Describe returns an object's name with its size. pointer is the expression that led to it.
func (w *View) Describe(o *state.Object, pointer string) string {
	pointer = strings.Trim(pointer, "`")
	size := BytesWord(o.Size)
	if t := o.DIType; t != nil && t.Kind == llvmir.DIArray && t.Name != "" && o.Source != "" {
		size = t.Name + ", " + size
	}
	switch {
	case o.Kind == state.Function:
		return "the function `" + o.Fn.SourceName + "`"
	case o.Maker != "":
		name := "a block"
		if pointer != "" {
			name = "`" + w.say(pointer) + "`"
		}
		return fmt.Sprintf("%s (%s, %s)", name, size, w.madeText(o))
	case o.Source != "":
		return fmt.Sprintf("`%s` (%s)", w.say(o.Source), size)
	case o.Global != nil && o.Readonly && clangir.IsStringLiteral(o.Global):
		return fmt.Sprintf("a string literal (%s)", size)
	case o.Alloca != nil && w.Program.Of(o.Alloca).Literal:
		return fmt.Sprintf("a compound literal (%s)", size)
	case o.Kind == state.Static:
		return fmt.Sprintf("`%s` (%s)", w.say(o.Name), size)
	case o.Name == VariableArguments:
		return fmt.Sprintf("%s (%s)", o.Name, size)
	}
	return fmt.Sprintf("a temporary object (%s)", size)
}

// madeText is "malloc at file:line", or "the input data".
func (w *View) madeText(o *state.Object) string {
	if o.Input != "" {
		return "the input `" + w.say(o.Input) + "`"
	}
	return o.Maker + w.AtPlace(found.Mention{What: found.Made, Name: o.Maker}, o.Made)
}

// AtPlace is " at file:line" with the base name of the file, "" when the place is unknown. The place is mentioned.
func (w *View) AtPlace(what found.Mention, l *llvmir.Loc) string {
	if l == nil || l.Line == 0 || path.Base(l.File) == language.ContractFile {
		return ""
	}
	what.Pos = PosOf(l, "")
	w.Mentions = append(w.Mentions, what)
	return fmt.Sprintf(" at %s:%d", path.Base(l.File), l.Line)
}

// OrderMessage is the sentence about pointers into different objects.
func (w *View) OrderMessage(fr *state.Frame, in *llvmir.Instr, x, y state.Value, verb string) string {
	side := func(i int, v state.Value) string {
		a := in.Args[i]
		if a.Kind == llvmir.OperandReg && fr != nil {
			if d := fr.Info.Def[a.Reg]; d != nil && d.Op == llvmir.OpPtrToInt {
				a = d.Args[0]
			}
		}
		text := w.Pointer(v, nil)
		if fr != nil {
			if name := pointerName(fr, a); name != "" && name != text {
				return fmt.Sprintf("`%s` (%s)", w.say(name), text)
			}
		}
		return "`" + text + "`"
	}
	if verb == "subtracts" {
		return fmt.Sprintf("subtracts %s and %s, which point into different objects", side(0, x), side(1, y))
	}
	return fmt.Sprintf("compares the order of %s and %s, which point into different objects", side(0, x), side(1, y))
}

// LeakMessage is the sentence about a block that nothing leads to at the end.
func (w *View) LeakMessage(o *state.Object) string {
	s := "the block of " + BytesWord(o.Size) + " from " + w.madeText(o) + " is never freed"
	if k := w.Keep; k != nil && k.Lost != nil {
		return s + "; the last pointer to it is lost" + w.AtPlace(found.Mention{What: found.Lost}, k.Lost)
	}
	return s + ", and nothing points to it at the end"
}

// NullCall is the sentence about a call through a pointer that is NULL.
func (w *View) NullCall(fr *state.Frame, callee llvmir.Operand) string {
	if k := callee.Const; k != nil && k.Kind == llvmir.ConstFunc && k.Func.Weak {
		return "calls `" + k.Func.SourceName + "`, which is weak and may have no definition"
	}
	name := pointerName(fr, callee)
	if name == "" {
		return "calls a function through a NULL pointer"
	}
	return "calls `" + w.say(name) + "`, which is NULL"
}

// WrongType is the sentence about a call of a function of another type: what the pointer is
// and which function it holds, with both types as the calling convention has them.
func (w *View) WrongType(fr *state.Frame, in *llvmir.Instr, f *llvmir.Func) string {
	s := fmt.Sprintf("calls `%s`", f.SourceName)
	if name := pointerName(fr, in.Callee); name != "" && name != f.SourceName {
		s = fmt.Sprintf("calls `%s`, which holds `%s`,", w.say(name), f.SourceName)
	}
	have := make([]string, len(f.Params))
	for i, p := range f.Params {
		have[i] = TypeName(p.Type)
		if p.DIType != nil && p.DIType.Name != "" {
			have[i] = p.DIType.Name
		}
	}
	got := make([]string, len(in.Args))
	for i, a := range in.Args {
		got[i] = TypeName(a.Type)
		if t := w.typeOf(fr, a); t != nil && t.Name != "" && t.Bits == int64(a.Type.Bits) {
			got[i] = t.Name
		}
	}
	if len(have) != len(got) {
		return fmt.Sprintf("%s with %s (%s); it takes %d (%s)", s, countWord(len(got), "argument"), strings.Join(got, ", "),
			len(have), strings.Join(have, ", "))
	}
	if strings.Join(have, ", ") != strings.Join(got, ", ") {
		return fmt.Sprintf("%s with (%s); it takes (%s)", s, strings.Join(got, ", "), strings.Join(have, ", "))
	}
	return fmt.Sprintf("%s as a function that returns %s; it returns %s", s, TypeName(in.Type), TypeName(f.Ret))
}

func countWord(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
