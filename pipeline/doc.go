// Package pipeline takes unit proofs from C files to findings: it compiles and links each proof, reads the LLVM
// assembly, runs the engine on it and groups the engine's verdicts into findings.
//
//	void abs_harness(void) {        // clang: one LLVM module of the proof and the files it calls
//		int x = nd_int();       // vcgen: obligations "signed-overflow" in abs, "assertion" here
//		sassert(abs(x) >= 0);   // diagnostics: one finding per place, with verdict and inputs
//	}
//
// Terms: a worker is a process of the same binary that does proofs behind a pipe, so that a crash or a limit of memory
// ends one proof and not the run. The parent replaces a worker that died. A result is fresh while the files and
// definitions that it rests on (Inputs) are unchanged. Kept results, reports and answers are entries of the cache on
// disk.
//
// Principal types, in reading order:
//
//   - Checker (check.go) does one proof in this process.
//   - ServeWorker (worker.go) serves a Checker on a pipe.
//   - Pool and Run (run.go) give a list of proofs to worker processes (process.go), each with limits of memory and
//     time, and report results as they come in.
//   - results (store.go, shared.go) are the cache: reports of the engine and answers of the solver.
//   - Live and Inputs (rests.go) serve editors: buffers in place of files, and the inputs of a result.
//   - prepare and divided (task.go, farm.go) move the engine's part of a check to a cluster.
//
// Caches (docs/caching.md): store.go has the reports of the engine, under the shape of the linked program, and the
// answers of the solver, under the structure of the query. Both keys include this program, so that these entries are
// never stale. Compiled files (package clang) and results of whole proofs (shared.go, editing/kept.go) list the hashes
// of their inputs instead; they are stale if one of these has changed, and then ignored.
//
// A failure of one proof (a file that does not compile, a crash of the engine, a limit) is the result of that proof
// alone. The package does not depend on LSP and prints nothing.
package pipeline
