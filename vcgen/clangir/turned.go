package clangir

import (
	"strings"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Blocks by the names that clang gives them (CodeGenFunction::EmitBranchOnBoolExpr and its callers, CGStmt.cpp),
// without their numbers: where a condition leads that is true, and where one leads that is false.
var (
	whereTrue = map[string]bool{"if.then": true, "land.lhs.true": true, "land.rhs": true, "lor.end": true,
		"for.body": true, "while.body": true, "do.body": true, "cond.true": true}
	whereFalse = map[string]bool{"if.else": true, "if.end": true, "lor.lhs.false": true, "lor.rhs": true,
		"land.end": true, "for.end": true, "for.cond.cleanup": true, "while.end": true, "do.end": true, "cond.false": true}
)

// Turned tells whether a conditional branch leads where its condition is true when what it decides on is false: clang
// emits no negation for the ! of a condition, other than that of a loop, and exchanges the blocks. known is false where
// the names do not tell.
func Turned(f *llvmir.Func, in *llvmir.Instr) (turned, known bool) {
	if in.Op != llvmir.OpCondBr {
		return false, false
	}
	name := func(k int) string { return strings.TrimRight(f.Blocks[in.Succs[k]].Name, "0123456789") }
	straight := whereTrue[name(0)] || whereFalse[name(1)]
	turned = whereFalse[name(0)] || whereTrue[name(1)]
	return turned, straight != turned
}
