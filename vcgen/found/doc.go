// Package found defines the results of an analysis as plain data: positions, kinds of obligations, verdicts, reasons.
//
// For example, the failing assertion in
//
//	int x = nd_int();
//	sassert(x != 7);   // p.c:4
//
// is a finding with Kind Assertion, Pos p.c:4, Verdict Failed, and a Counterexample whose only Input is 7. An
// assertion behind a loop that was unrolled four times has the Verdict Bounded and the Reason HoldsInBounds with N =
// 4.
//
// Principal types:
//
//   - Pos is a source position.
//   - Kind is a kind of obligation; KindInfo describes it (kind.go has the table).
//   - Verdict is the answer for an obligation, a finding or a proof; Reason explains why it is not better. Package
//     vcgen decides the verdicts of obligations.
//   - Assumption is an unchecked assumption on which verdicts rest.
//   - Counterexample is a violating execution: inputs, trace, variables, memory.
//   - Coverage has the lines that executions reach.
//
// Reading order: pos.go, kind.go, verdict.go, reason.go, assumption.go, counterexample.go. The package is a leaf: all
// others, from symbolic execution to the editors, use these types. Package diagnostics writes sentences from this data;
// only Counterexample.Message is a finished sentence, by package vcgen/interp/explain.
package found
