package interp

import (
	"fmt"
	"path"
	"strings"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// accessText begins the sentence about an access: "writes 4 bytes".
func (m *machine) accessText(a access) string {
	if a.write {
		return "writes " + bytesWord(a.n)
	}
	return "reads " + bytesWord(a.n)
}

func bytesWord(n uint64) string {
	if n == 1 {
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes", n)
}

// nullMessage is the sentence about a dereference of NULL.
func (m *machine) nullMessage(a access) string {
	if a.op != nil && len(m.frames) > 0 {
		if p := placeOf(m.top(), *a.op); p.known && p.deref && p.off == int64(a.ptr.bits) {
			if what, t := p.part(a.n); t != nil {
				verb := "reads"
				if a.write {
					verb = "writes"
				}
				return fmt.Sprintf("%s `%s`, but `%s` is NULL", verb, what, p.text)
			}
			return m.accessText(a) + " through `" + p.text + "`, which is NULL"
		}
	}
	if name := m.nameOfPointer(a, nil); name != "" {
		return m.accessText(a) + " through `" + name + "`, which is NULL"
	}
	if a.ptr.bits == 0 {
		return m.accessText(a) + " at NULL"
	}
	return fmt.Sprintf("%s at address %d, which is NULL with an offset", m.accessText(a), a.ptr.bits)
}

// pointerWord names the pointer of an access, or its value.
func (m *machine) pointerWord(a access) string {
	value := m.renderPointer(a.ptr, nil)
	if a.op != nil {
		if p := placeOf(m.top(), *a.op); p.known && p.deref {
			if p.off == 0 {
				return fmt.Sprintf("`%s` (%s)", p.text, value)
			}
			return fmt.Sprintf("offset %d of `%s` (%s)", p.off, p.text, value)
		}
	}
	return value
}

// placeMessage is the sentence about an access to an object.
func (m *machine) placeMessage(a access, o *object, off uint64) string {
	name := m.nameOfPointer(a, o)
	s := fmt.Sprintf("%s at offset %d of %s", m.accessText(a), int64(off), m.describe(o, name))
	if o.kind != onHeap && o.source != "" && name != "" && name != o.source && !strings.HasPrefix(name, o.source+"[") && !strings.HasPrefix(name, o.source+".") {
		s += " through `" + name + "`"
	}
	if o.live {
		return s
	}
	word := "which was freed"
	if o.kind == onStack {
		word = "whose lifetime ended"
	}
	return s + ", " + word + at(o.ended)
}

// nameOfPointer is the user's expression for the pointer of an access. Inside the library it
// is the argument of the user's call that points into the same object.
func (m *machine) nameOfPointer(a access, o *object) string {
	for i := len(m.frames) - 1; i >= 0; i-- {
		fr, at := m.frames[i], m.at
		if i+1 < len(m.frames) {
			at = m.frames[i+1].call
		}
		if l := locOf(fr.fn, at); l == nil || !m.opts.UserFile(l.File) {
			continue
		}
		if i+1 == len(m.frames) {
			if a.op == nil {
				return ""
			}
			if p := placeOf(fr, *a.op); p.known && p.deref {
				return p.text
			}
			return ""
		}
		for _, arg := range at.Args {
			if arg.Kind == llvmir.OperandReg && arg.Type != nil && arg.Type.Kind == llvmir.PointerType && fr.regs[arg.Reg].obj == o &&
				(o != nil || fr.regs[arg.Reg].bits == a.ptr.bits) {
				return pointerName(fr, arg)
			}
		}
		return ""
	}
	return ""
}

// describe names an object with its size. pointer is the expression that led to it.
func (m *machine) describe(o *object, pointer string) string {
	pointer = strings.Trim(pointer, "`")
	size := bytesWord(o.size)
	if t := o.dtype; t != nil && t.Kind == llvmir.DIArray && t.Name != "" && o.source != "" {
		size = t.Name + ", " + size
	}
	switch {
	case o.kind == function:
		return "the function `" + o.fn.SourceName + "`"
	case o.kind == onHeap:
		name := "a block"
		if pointer != "" {
			name = "`" + pointer + "`"
		}
		return fmt.Sprintf("%s (%s, %s%s)", name, size, o.maker, at(o.made))
	case o.source != "":
		return fmt.Sprintf("`%s` (%s)", o.source, size)
	case o.global != nil && o.readonly && strings.HasPrefix(o.name, ".str"):
		return fmt.Sprintf("a string literal (%s)", size)
	case o.kind == onStack && strings.HasPrefix(o.name, ".compoundliteral"):
		return fmt.Sprintf("a compound literal (%s)", size)
	case o.kind == static:
		return fmt.Sprintf("`%s` (%s)", o.name, size)
	case o.name == "the variable arguments":
		return fmt.Sprintf("%s (%s)", o.name, size)
	}
	return fmt.Sprintf("a temporary object (%s)", size)
}

// at is " at file:line" with the base name of the file, "" when the place is unknown.
func at(l *llvmir.Loc) string {
	if l == nil || l.Line == 0 {
		return ""
	}
	return fmt.Sprintf(" at %s:%d", path.Base(l.File), l.Line)
}

// orderMessage is the sentence about pointers into different objects.
func (m *machine) orderMessage(fr *frame, in *llvmir.Instr, x, y value, verb string) string {
	side := func(i int, v value) string {
		a := in.Args[i]
		if a.Kind == llvmir.OperandReg && fr != nil {
			if d := fr.info.def[a.Reg]; d != nil && d.Op == llvmir.OpPtrToInt {
				a = d.Args[0]
			}
		}
		text := m.renderPointer(v, nil)
		if fr != nil {
			if name := pointerName(fr, a); name != "" && name != text {
				return fmt.Sprintf("`%s` (%s)", name, text)
			}
		}
		return "`" + text + "`"
	}
	if verb == "subtracts" {
		return fmt.Sprintf("subtracts %s and %s, which point into different objects", side(0, x), side(1, y))
	}
	return fmt.Sprintf("compares the order of %s and %s, which point into different objects", side(0, x), side(1, y))
}

// leakMessage is the sentence about a block that nothing leads to at the end.
func (m *machine) leakMessage(o *object) string {
	s := "the block of " + bytesWord(o.size) + " from " + o.maker + at(o.made) + " is never freed"
	if k := m.opts.Keep; k != nil && k.lost != nil {
		return s + "; the last pointer to it is lost" + at(k.lost)
	}
	return s + ", and nothing points to it at the end"
}
