// Package pipeline takes unit proofs from C files to findings: it compiles each, reads the
// LLVM assembly, has the engine verify it and groups what the engine says.
//
// Principal types, in reading order: Checker (check.go) does one proof in this process;
// ServeWorker (worker.go) is the same behind a pipe; Run (run.go) has a list of proofs done by
// worker processes (process.go), each with limits of memory and time, and tells of results as
// they come in.
//
// Whatever goes wrong with one proof (a file that does not compile, a crash of the engine, a
// limit) is that proof's result and nobody else's. The package knows nothing of LSP and prints
// nothing.
package pipeline
