package clangir

import (
	"strings"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Clang's names of blocks (CodeGenFunction::EmitBranchOnBoolExpr and its callers, CGStmt.cpp), without numbers:
// successors of a true condition, and of a false one.
var (
	whereTrue = map[string]bool{"if.then": true, "land.lhs.true": true, "land.rhs": true, "lor.end": true,
		"for.body": true, "while.body": true, "do.body": true, "cond.true": true}
	whereFalse = map[string]bool{"if.else": true, "if.end": true, "lor.lhs.false": true, "lor.rhs": true,
		"land.end": true, "for.end": true, "for.cond.cleanup": true, "while.end": true, "do.end": true, "cond.false": true}
)

// Turned reports whether a conditional branch is inverted: it tests the negation of the condition in the source.
//
// For ! in a condition, except that of a loop, clang emits no negation and exchanges the successors. known is false
// if the names are inconclusive.
func Turned(f *llvmir.Func, in *llvmir.Instr) (turned, known bool) {
	if in.Op != llvmir.OpCondBr {
		return false, false
	}
	name := func(k int) string { return strings.TrimRight(f.Blocks[in.Succs[k]].Name, "0123456789") }
	straight := whereTrue[name(0)] || whereFalse[name(1)]
	turned = whereFalse[name(0)] || whereTrue[name(1)]
	return turned, straight != turned
}
