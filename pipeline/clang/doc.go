// Package clang turns C files into one small LLVM assembly text that the engine reads.
//
// [Find] locates the pinned front end, [Toolchain.Build] compiles every file of a unit proof with
// it (compile.go), decides which definition each name means (resolve.go), keeps what the entry can
// reach (asm.Slim) and makes one module of the rest (link.go). No LLVM pass runs: one that uses
// undefined behaviour or deletes a load, a store or an assertion before our checks exist would make
// a wrong program look right.
//
// Resolution and slimming are done on the assembly text (package asm) rather than by opt's internalize
// and globaldce, for three reasons: a process costs about 30 ms, which is most of the time a small
// proof takes; the linkage of variables and `declare !dbg` stay visible to the reader, where
// internalize erases the former; and overriding, clashing and C99 inline definitions can be decided
// with the user's file names at hand.
//
// The package also ships unitproof.h ([HeaderDir]) and C models of libc functions (models.go).
// It knows nothing of the engine, of proofs or of verdicts.
//
// Reading order: build.go, compile.go, resolve.go, link.go, models.go.
package clang
