package clangir

import (
	"strings"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// If neither the form of the code nor debug information determines the meaning, clang's names of values and blocks
// do, in all of its versions. Only this file interprets them; unlisted names have no meaning (pipeline's
// TestValueNames changes all other names).

// stems are the prefixes of names with a meaning; a longer prefix precedes a shorter one.
var stems = []string{
	// values
	"sub.ptr.sub",      // the difference of two pointers, in bytes
	"bf.load",          // the storage of a bit-field
	"bf.",              // a bit-field in transfer from or to its storage unit
	"arraydecay",       // an array converted to a pointer, not written as &a[0]
	"sh_prom",          // a shift amount converted to the type of the shifted value
	"idxprom",          // an index of a[i] converted to the width of addresses
	"idx.ext",          // an index of p + i or p - i converted to the width of addresses
	"vla.index",        // an index of p + i multiplied by the size of a variable-length array
	".compoundliteral", // a compound literal
	"coerce.dive",      // the number in a struct that is passed as a number
	jumpSlot,
	// blocks
	"for.cond.cleanup", "for.cond", "for.body", "for.end", "for.",
	"while.cond", "while.body", "while.end", "while.",
	"do.end", "do.", "if.end", "if.", "sw.", "return", "cleanup",
	"lor.lhs.false", // the second operand of ||
	"handler.", "trap",
	"cont", // after a check of a sanitizer
}

// numbered are names with a meaning that are followed only by a number: values of expressions without a variable.
var numbered = []string{"agg.tmp", "ref.tmp", "coerce", "tmp", "saved_stack", returnSlot}

// Clang's variables for the kind of a jump out of a block, and for the result of a function with several returns. A
// variable of the program may have the latter name.
const (
	jumpSlot   = "cleanup.dest.slot"
	returnSlot = "retval"
)

// parts are the suffixes of the names of the parts of a complex number.
var parts = []string{".realp", ".imagp"}

// Stem returns the part of a name that has a meaning.
//
// It is one of the stems, "." for a name with a dot, which is not the user's, otherwise "".
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

// stem returns the stem of a register's name.
func (f *function) stem(reg int) string {
	if reg < 0 {
		return ""
	}
	return Stem(f.fn.RegName(reg))
}

// unnamed reports whether a register has a number instead of a name. Operations written in the source have names.
func (f *function) unnamed(reg int) bool {
	return reg >= 0 && strings.Trim(f.fn.RegName(reg), "%0123456789") == ""
}

// byUser reports whether a variable or label has a name that is possible in the source.
func byUser(name string) bool { return !strings.Contains(name, ".") }

// isOwn reports whether an alloca without a variable was created by clang.
//
// A compound literal belongs to the program, and a variable without a declaration may have any name that is valid in
// C.
func (f *function) isOwn(al *llvmir.Instr) bool {
	s := f.stem(al.Dst)
	return s == "saved_stack" || f.isTemporary(al) || !byUser(f.fn.RegName(al.Dst)) && s != ".compoundliteral"
}

// isTemporary reports whether an alloca holds the value of an expression. A variable may also have such a name, see
// endTemporary.
func (f *function) isTemporary(al *llvmir.Instr) bool {
	switch f.stem(al.Dst) {
	case "tmp", "coerce", "agg.tmp", "ref.tmp":
		return true
	}
	return false
}

// blockRole is the role of a block in the code.
type blockRole uint8

const (
	elsewhere    blockRole = iota
	failedCheck            // reports that a sanitizer check failed
	behindCheck            // continues after a check
	newStatement           // begins a statement, not part of an expression
)

func placeOf(b *llvmir.Block) blockRole {
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

// HasLoopBody reports whether a block is the condition of a loop statement with a separate body.
func HasLoopBody(head *llvmir.Block) bool {
	stem := Stem(head.Name)
	return stem == "for.cond" || stem == "while.cond"
}

// IsLoopBody reports whether b is the body of a loop statement of the kind whose condition is head.
func IsLoopBody(head, b *llvmir.Block) bool {
	switch Stem(head.Name) {
	case "for.cond":
		return Stem(b.Name) == "for.body"
	case "while.cond":
		return Stem(b.Name) == "while.body"
	}
	return false
}

// PassesBy reports whether a branch to a block skips a controlled statement.
//
// The block follows an if or a loop, or is the next operand of ||.
func PassesBy(b *llvmir.Block) bool {
	switch Stem(b.Name) {
	case "if.end", "for.end", "while.end", "do.end", "cleanup", "lor.lhs.false", "for.cond.cleanup":
		return true
	}
	return false
}

// IsStringLiteral reports whether a variable is a string literal of the source. __func__ is not: it is one object per
// function.
func IsStringLiteral(g *llvmir.Global) bool {
	return g.Constant && g.UnnamedAddr && !g.External && g.Init != nil && g.Type.Kind == llvmir.ArrayType &&
		(g.Name == ".str" || strings.HasPrefix(g.Name, ".str.") || strings.HasPrefix(g.Name, ".str#"))
}
