// Package diagnostics turns the engine's report about a unit proof into findings with messages, and renders them as
// text, JSON, SARIF, JUnit, lcov, HTML and events.
//
// The engine reports instances: one obligation on one path of calls. Group merges the instances of a source position
// and kind into one Finding, which has a verdict, a range of source text, a sentence, and for a failure its
// counterexample:
//
//	static int storage[10];
//
//	void push(int value) {
//		storage[used++] = value;
//	}
//
// becomes one finding, even if the proof calls push in ten places:
//
//	src/list.c:4:18: failed [out-of-bounds-write] writes 4 bytes at offset 40 of `storage` (40 bytes, src/list.c:1):
//	used = 10
//
// Principal types, in reading order: Proof and Finding (finding.go) encode to the JSON of the contract; Group
// (group.go) makes them from a vcgen.Report; Document is a whole run. The writers (TextWriter, WriteJSON, WriteSARIF,
// WriteJUnit, WriteLCOV, WriteEvent) take these types and nothing else, so a Proof that was encoded as JSON and decoded
// renders like a fresh one.
//
// A finding's sentence comes from message.go. For a failure it uses the message that vcgen/interp/explain wrote about
// the violating state; for a failed assertion it quotes the condition from the source.
//
// Packages below it: phrase renders the engine's reasons and assumptions in words, source locates text at a position,
// csource parses C, picture draws memory, markup writes HTML, paths makes file names relative to the root.
//
// The package is pure: it opens no file, starts no process and reads no clock. The caller supplies source text
// through Sources. The package does not depend on LSP, LLVM or solvers.
package diagnostics
