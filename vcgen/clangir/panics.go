package clangir

import (
	"strings"

	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// panicTexts are the messages of panicking functions of Rust's library, by the end of their paths.
//
// They are used if no constant argument has the message.
var panicTexts = map[string]string{
	"panic_bounds_check":                   "index out of bounds",
	"option::unwrap_failed":                "called `Option::unwrap()` on a `None` value",
	"result::unwrap_failed":                "an `Err` stands where an `Ok` was expected",
	"option::expect_failed":                "a `None` stands where a value was expected",
	"capacity_overflow":                    "capacity overflow",
	"handle_error":                         "capacity overflow",
	"panic_const_add_overflow":             "attempt to add with overflow",
	"panic_const_sub_overflow":             "attempt to subtract with overflow",
	"panic_const_mul_overflow":             "attempt to multiply with overflow",
	"panic_const_div_overflow":             "attempt to divide with overflow",
	"panic_const_rem_overflow":             "attempt to calculate the remainder with overflow",
	"panic_const_neg_overflow":             "attempt to negate with overflow",
	"panic_const_shl_overflow":             "attempt to shift left with overflow",
	"panic_const_shr_overflow":             "attempt to shift right with overflow",
	"panic_const_div_by_zero":              "attempt to divide by zero",
	"panic_const_rem_by_zero":              "attempt to calculate the remainder with a divisor of zero",
	"slice_index_order_fail":               "slice index starts behind its end",
	"slice_start_index_len_fail":           "range start index out of range for slice",
	"slice_end_index_len_fail":             "range end index out of range for slice",
	"slice_start_index_overflow_fail":      "attempted to index slice from after maximum usize",
	"slice_end_index_overflow_fail":        "attempted to index slice up to maximum usize",
	"slice_index_fail":                     "slice index out of range",
	"slice_error_fail":                     "byte index is not the boundary of a character, or out of bounds",
	"panic_misaligned_pointer_dereference": "misaligned pointer dereference",
	"panic_null_pointer_dereference":       "null pointer dereference occurred",
	"panic_already_borrowed":               "already borrowed",
	"panic_already_mutably_borrowed":       "already mutably borrowed",
	"len_mismatch_fail":                    "source slice length does not match destination slice length",
	"panic_explicit":                       "explicit panic",
}

// comparisons are the first arguments of core::panicking::assert_failed.
var comparisons = []string{"assertion `left == right` failed", "assertion `left != right` failed",
	"assertion `left matches right` failed"}

// Panic returns the message of a panicking call of Rust's library, as far as the module has it; "" for other calls.
func Panic(in *llvmir.Instr) string {
	f := in.External()
	if f == nil {
		return ""
	}
	e := language.Function(f.Name, f.Arity())
	if e.Dialect != language.Rust || e.Role != language.AssertFailure && e.Role != language.CapacityError {
		return ""
	}
	path := language.Demangled(f.Name)
	parts := strings.Split(path, "::")
	last := parts[len(parts)-1]
	if (last == "assert_failed" || last == "assert_failed_inner") && len(in.Args) > 0 {
		if k := number(in.Args[0]); k >= 0 && k < len(comparisons) {
			return comparisons[k]
		}
	}
	for i := 0; i+1 < len(in.Args); i++ {
		if text, ok := str(in.Args[i], number(in.Args[i+1])); ok {
			return text
		}
	}
	if text := panicTexts[strings.Join(parts[max(0, len(parts)-2):], "::")]; text != "" {
		return text
	}
	if text := panicTexts[last]; text != "" {
		return text
	}
	return path
}

// OfCondition reports whether a branch can belong to the condition of an assertion, given its failure call.
//
// All code of a macro expansion has the same position. From clang 22 on, and for assert! of Rust, arguments of a
// macro have their own position, in the parentheses after the macro's name.
func OfCondition(branch, failure *llvmir.Instr) bool {
	at, of := branch.Loc, failure.Loc
	if at == nil || of == nil || at.File != of.File {
		return false
	}
	behind := at.Line > of.Line || at.Line == of.Line && at.Col > of.Col
	return at.Line == of.Line && at.Col == of.Col || behind && (at.Scope == of.Scope || Panic(failure) != "")
}

// number returns the value of a small constant, or -1.
func number(o llvmir.Operand) int {
	if o.Kind != llvmir.OperandConst || o.Const == nil || o.Const.Int == nil || !o.Const.Int.IsInt64() {
		return -1
	}
	if n := o.Const.Int.Int64(); n >= 0 && n < 1<<16 {
		return int(n)
	}
	return -1
}

// str returns the constant &str with the given address and length.
func str(o llvmir.Operand, length int) (string, bool) {
	if o.Kind != llvmir.OperandConst || o.Const == nil || o.Const.Kind != llvmir.ConstGlobal || length <= 0 {
		return "", false
	}
	init := o.Const.Global.Init
	for init != nil && init.Kind == llvmir.ConstAggregate && len(init.Elems) == 1 {
		init = init.Elems[0]
	}
	at := int(o.Const.Offset)
	if init == nil || init.Kind != llvmir.ConstData || at < 0 || at+length > len(init.Data) {
		return "", false
	}
	return string(init.Data[at : at+length]), true
}
