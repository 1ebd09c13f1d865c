// Package contract makes C of functions and loops with contracts.
//
// A contract is a list of clauses behind the head of a function or of a loop, in CBMC's notation
// (`__CPROVER_requires(n > 0)`). Rewrite takes a text after preprocessing, so that macros that wrap clauses have done
// their work, and gives a text in which the clauses are gone and functions of their own say what they mean:
//
//   - unitproof_enforce_F, a proof: it assumes what F requires, calls F, and asserts what F ensures;
//   - unitproof_replace_F, which stands for calls of F: it asserts what F requires, gives what F assigns any value, and
//     assumes what F ensures;
//   - in each loop with an invariant, a head that is executed before its condition.
//
// They are written in C and in the primitives of prelude.go, which the engine, the interpreter and native runs know by
// the roles of vcgen/language: what a contract means is decided here, once.
//
// Reading order: source.go (places in a preprocessed text), align.go (columns that preprocessing moved), clause.go
// (which clauses there are, and where), write.go (text with places), expr.go (conditions; operator.go, their parts;
// word.go, what CBMC has words for), predicate.go (what functions of the user say), function.go and loop.go.
//
// The package knows no compilers and no files; what stands in the user's files comes as a function.
package contract
