package clangir

import (
	"strings"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Where neither the shape of the code nor debug information tells what clang means, the names do that it gives to
// values and blocks, in all its versions. This is the only place that reads them; what is not listed here has no
// meaning (pipeline's TestValueNames gives everything other names).

// stems are the beginnings of names that mean something, those that begin with another one before it.
var stems = []string{
	// values
	"sub.ptr.sub",      // the difference of two pointers, in bytes
	"bf.load",          // the storage of a bit-field
	"bf.",              // a bit-field on its way from or to its storage
	"arraydecay",       // an array that becomes a pointer, not written as &a[0]
	"sh_prom",          // an exponent made as wide as what is shifted
	".compoundliteral", // a compound literal
	"coerce.dive",      // the number that is inside of a struct which is passed as one
	jumpSlot,
	// blocks
	"for.cond.cleanup", "for.cond", "for.body", "for.end", "for.",
	"while.cond", "while.body", "while.end", "while.",
	"do.end", "do.", "if.end", "if.", "sw.", "return", "cleanup",
	"lor.lhs.false", // the second operand of ||
	"handler.", "trap",
	"cont", // behind a check of a sanitizer
}

// numbered are names that mean something with nothing but a number behind: values of expressions that have no variable.
var numbered = []string{"agg.tmp", "ref.tmp", "coerce", "tmp", "saved_stack", returnSlot}

// Clang's own variables for where a jump out of a block leads, and for what a function with several returns gives back;
// a variable of the program may be called as the latter.
const (
	jumpSlot   = "cleanup.dest.slot"
	returnSlot = "retval"
)

// parts are the ends of names of the parts of a complex number.
var parts = []string{".realp", ".imagp"}

// Stem is what of a name has a meaning: one of the stems, "." for a name with a dot, which is none of the user's, else
// "".
func Stem(name string) string {
	plain := strings.TrimRight(name, "0123456789")
	for _, s := range parts {
		if strings.HasSuffix(plain, s) {
			return s
		}
	}
	for _, s := range numbered {
		if plain == s {
			return s
		}
	}
	for _, s := range stems {
		if strings.HasPrefix(name, s) {
			return s
		}
	}
	if strings.Contains(name, ".") {
		return "."
	}
	return ""
}

// stem is that of a register.
func (f *function) stem(reg int) string {
	if reg < 0 {
		return ""
	}
	return Stem(f.fn.RegName(reg))
}

// byUser tells whether a variable or a label has a name that the user can have given it.
func byUser(name string) bool { return !strings.Contains(name, ".") }

// isOwn tells whether an alloca without a variable is one of clang's own. A compound literal is the program's, and a
// variable that has no declaration may be called anything that is a name in C.
func (f *function) isOwn(al *llvmir.Instr) bool {
	s := f.stem(al.Dst)
	return s == "saved_stack" || f.isTemporary(al) || !byUser(f.fn.RegName(al.Dst)) && s != ".compoundliteral"
}

// isTemporary tells whether an alloca holds the value of an expression. A variable can have such a name as well, see
// endTemporary.
func (f *function) isTemporary(al *llvmir.Instr) bool {
	switch f.stem(al.Dst) {
	case "tmp", "coerce", "agg.tmp", "ref.tmp":
		return true
	}
	return false
}

// place says where a block stands in the code.
type place uint8

const (
	elsewhere    place = iota
	failedCheck        // reports that a check of a sanitizer failed
	behindCheck        // goes on behind one
	newStatement       // begins a statement, and is no part of an expression
)

func placeOf(b *llvmir.Block) place {
	switch stem := Stem(b.Name); stem {
	case "handler.", "trap":
		return failedCheck
	case "cont":
		return behindCheck
	case "return", "cleanup", "sw.":
		return newStatement
	default:
		for _, s := range []string{"if.", "for.", "while.", "do."} {
			if strings.HasPrefix(stem, s) {
				return newStatement
			}
		}
	}
	return elsewhere
}

// HasLoopBody tells whether a block is the condition of a loop statement with a body of its own.
func HasLoopBody(head *llvmir.Block) bool {
	stem := Stem(head.Name)
	return stem == "for.cond" || stem == "while.cond"
}

// IsLoopBody tells whether a block begins the body of a loop statement of the kind that has its condition in head.
func IsLoopBody(head, b *llvmir.Block) bool {
	switch Stem(head.Name) {
	case "for.cond":
		return Stem(b.Name) == "for.body"
	case "while.cond":
		return Stem(b.Name) == "while.body"
	}
	return false
}

// PassesBy tells whether a branch to a block passes by what stands under it: the block is behind the end of an if or of
// a loop, or is the next operand of ||.
func PassesBy(b *llvmir.Block) bool {
	switch Stem(b.Name) {
	case "if.end", "for.end", "while.end", "do.end", "cleanup", "lor.lhs.false", "for.cond.cleanup":
		return true
	}
	return false
}

// IsStringLiteral tells whether a variable is a string literal of the source; __func__ is none, it is one object in its
// function.
func IsStringLiteral(g *llvmir.Global) bool {
	return g.Constant && g.UnnamedAddr && !g.External && g.Init != nil && g.Type.Kind == llvmir.ArrayType &&
		(g.Name == ".str" || strings.HasPrefix(g.Name, ".str.") || strings.HasPrefix(g.Name, ".str#"))
}
