// Package diagnostics turns the engine's report about a unit proof into what users see:
// findings with messages, and their renderings as text, JSON, SARIF, JUnit, lcov and events.
//
// Principal types, in reading order: Proof and Finding (finding.go) carry the contract's JSON;
// Group (group.go) makes them from a vcgen.Report; Document is a whole run. The writers (WriteText,
// WriteJSON, WriteSARIF, WriteJUnit, WriteLCOV, WriteEvent) take these types and nothing else, so a
// Proof that went through JSON renders like a fresh one.
//
// Below it: phrase has the words for what the engine says, source the text at a place, picture draws memory.
//
// The package is pure: it opens no file, starts no process and reads no clock. The sources it
// quotes come from the caller through Sources. It knows nothing of LSP, LLVM and solvers.
package diagnostics
