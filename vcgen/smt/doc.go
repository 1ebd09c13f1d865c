// Package smt is the term language of the engine: hash-consed bit-vectors, Booleans, IEEE-754 operations on bit
// patterns and uninterpreted functions.
//
// Constructors rewrite terms while they build them. For example, with x of 32 bits,
//
//	c.Add(x, c.Int(32, 0))                  // x
//	c.Sub(c.Add(x, y), x)                   // y
//	c.Extract(c.Zext(x, 64), 31, 0)         // x
//	c.And(p, c.Not(p))                      // false
//	c.Ult(c.BvAnd(x, c.Int(32, 7)), c.Int(32, 8)) // true: the operand is in [0, 7]
//
// Principal types:
//
//   - Context is the arena of terms and has the constructors; Term is a handle into it.
//   - Facts are intervals and known bits that hold for all values of a term (Range, KnownBits).
//   - Question is a conjunction of facts; Simplify rewrites the facts by each other.
//   - Solver decides questions and returns an Answer, a closed set; Model is a satisfying assignment, and Evaluator
//     computes the values of terms under it.
//   - Canon computes digests of terms, under which answers are stored.
//
// The package is independent of C, LLVM, SMT-LIB and solvers. It imports only the standard library, and from that
// nothing that accesses files, processes, clocks or networks.
//
// Reading order: term.go and context.go (the arena), eval.go and float.go (the only definition of each operator's
// meaning), build_*.go (the rewriting constructors), linear.go (sums), lift.go (choices), facts.go, model.go,
// simplify.go with substitute.go.
//
// # Invariants of nodes
//
// The constructors fold constants and bring terms into a normal form. Back ends and matchers may rely on this:
//
//   - The arguments of a term have smaller handles than the term: ascending handles are a topological order.
//   - OpOr, OpUle and OpSle do not occur. Or(a, b) is Not(And(Not a, Not b)) (AsOr returns a and b), a <= b is
//     Not(b < a).
//   - OpAnd is binary and leans to the left: And(And(g, c1), c2). OpNot is never doubled.
//   - OpEq has two arguments, bit-vectors or Bools (this is Iff; Bool arguments are not negated, Xor is its
//     negation). One-bit vectors are compared with 1 only. OpIte is a Bool or a bit-vector; its condition is not
//     negated.
//   - OpAdd, OpBvAnd, OpBvOr and OpBvXor are n-ary with 2 to 9 arguments. Up to 64 bits, each argument of an OpAdd
//     is a term, or OpMul of a term and a constant, then at most one constant. All other operators have a fixed
//     number of arguments; OpMul is binary.
//   - A constant operand of OpAdd, OpMul, OpBvAnd, OpBvOr, OpBvXor, OpEq, OpUlt and OpSlt is the last one. (Beyond
//     64 bits a product may have a constant that is not folded into a sum.)
//   - Sub(a, b) is a + b*(-1), Neg(a) is a*(-1), FNeg, FAbs and FIsNaN are bit operations, BoolToBV is ite(b, 1, 0).
//   - Up to 64 bits a shift by a constant is a product (left) or an extended extract (right), so OpShl, OpLshr and
//     OpAshr have variable amounts. Division by a power of two is a shift. Beyond 64 bits a constant left shift is a
//     concatenation with zeros.
//   - OpConcat is binary, leans to the right, and has no zeros on top (that is OpZext). The sign bit of OpSext's
//     operand is not known to be zero.
//   - OpExtract is not applied to a constant, an extract, a concatenation or an OpZext.
//
// # Soundness
//
// A wrong rewriting is a false proof. Each constructor is compared on random terms with an independent evaluator of
// the unrewritten tree (property_test.go), and so are intervals and known bits. Facts hold for all values of the
// variables; a statement that holds only under an assumption never becomes a fact of a term. Rules inspect a bounded
// number of levels, and traversals of whole terms are iterative, so depth costs neither time nor stack.
package smt
