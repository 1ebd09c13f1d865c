// Package contract translates contracts of functions and loops to C.
//
// A contract is a list of clauses behind the head of a function or of a loop, in CBMC's notation:
//
//	int get(int *a, int n) __CPROVER_requires(n > 0 && __CPROVER_is_fresh(a, n))
//	  __CPROVER_ensures(__CPROVER_return_value >= 0)
//	{ ... }
//
// Rewrite takes the text after preprocessing, so that macros around clauses are already expanded. It returns the text
// without clauses, plus functions that implement them:
//
//   - unitproof_enforce_F is the proof of the contract: it assumes the preconditions of F, calls F, and asserts its
//     postconditions;
//   - unitproof_replace_F replaces calls of F: it asserts the preconditions, makes the targets of assigns arbitrary,
//     and assumes the postconditions;
//   - each loop with an invariant gets a head that is executed before its condition.
//
// The generated code is C that calls the primitives of prelude.go. For an invariant, loop.go writes these calls, and
// vcgen/unfold/contract.go turns the calls into obligations. The engine, the interpreter and native runs implement the
// primitives by their roles in vcgen/language, so the meaning of contracts is defined in this package only.
//
// The principal types are reader (finds the contracts), conditions (writes conditions) and generator (writes the two
// functions).
//
// Reading order: source.go (positions in a preprocessed text), align.go (restores the columns of tokens), clause.go
// (finds clauses), write.go (text with positions), expr.go (conditions; operator.go splits them, word.go has CBMC's
// predicates, equal.go the equalities that assign pointers), predicate.go (predicates that the user defines), slots.go
// (new objects), function.go, and loop.go (exit.go: blocks that leave a loop).
//
// The package starts no compiler and reads no file: the caller passes a function that returns the text of the user's
// files.
package contract
