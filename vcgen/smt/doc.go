// Package smt is the term language of the engine: hash-consed bit-vectors of any width, truth values, IEEE-754
// operations on bit patterns and uninterpreted functions, rewritten while they are built; facts about them (intervals,
// known bits), models and their evaluation, and the interface Solver with its closed Answer. It knows
// nothing of C, LLVM, SMT-LIB or any solver, and imports only the standard library, of it nothing that reaches files,
// processes, clocks or networks.
//
// Reading order: term.go and context.go (the arena), eval.go and float.go (what each operator means; the only
// definition), the build files (the rewriting constructors), linear.go (sums), facts.go, model.go.
//
// # Invariants of nodes
//
// The constructors fold constants and bring terms into a normal form. Back ends and matchers may rely on this:
//
//   - The arguments of a term have smaller handles than the term: ascending handles are a topological order.
//   - OpOr, OpUle and OpSle are never made. Or(a, b) is Not(And(Not a, Not b)) (AsOr takes it apart), a <= b is
//     Not(b < a).
//   - OpAnd is binary and leans to the left: And(And(g, c1), c2). OpNot is never doubled.
//   - OpEq has two arguments, bit-vectors or Bools (this is Iff; Bool arguments are not negated, Xor is its negation).
//     One-bit vectors are compared with 1 only. OpIte is a Bool or a bit-vector; its condition is not negated.
//   - OpAdd, OpBvAnd, OpBvOr and OpBvXor are n-ary with 2 to 9 arguments. Up to 64 bits, each argument of an OpAdd is a
//     term, or OpMul of a term and a constant, then at most one constant. All other operators have a fixed number of
//     arguments; OpMul is binary.
//   - A constant operand of OpAdd, OpMul, OpBvAnd, OpBvOr, OpBvXor, OpEq, OpUlt and OpSlt is the last one. (Beyond 64
//     bits a product may have a constant that is not folded into a sum.)
//   - Sub(a, b) is a + b*(-1), Neg(a) is a*(-1), FNeg, FAbs and FIsNaN are bit operations, BoolToBV is ite(b, 1, 0).
//   - Up to 64 bits a shift by a constant is a product (left) or an extended extract (right), so OpShl, OpLshr and
//     OpAshr have variable amounts. Division by a power of two is a shift. Beyond 64 bits a constant left shift is a
//     concatenation with zeros.
//   - OpConcat is binary, leans to the right, and has no zeros on top (that is OpZext). OpSext's operand has no known
//     zero sign.
//   - OpExtract is not applied to a constant, an extract, a concatenation or an OpZext.
//
// # Soundness
//
// A wrong rewriting is a false proof. Every constructor is compared with an independent evaluator of the tree as it was
// asked for, on random terms (property_test.go), as are intervals and known bits. Facts hold for all values of the
// variables; what holds only under an assumption never enters this package. Rules look a bounded number of levels down,
// and whatever walks whole terms is iterative, so depth costs neither time nor stack.
package smt
