// Package clang compiles C files to one small LLVM assembly text, which the engine reads.
//
// [Find] locates the front end. [Toolchain.Build] does the rest:
//
//   - compile every file of a unit proof (compile.go),
//   - choose a definition for each name (resolve.go),
//   - drop everything that the entry does not reach (asm.Slim),
//   - link the rest into one module (link.go).
//
// For example, a proof in p.c and a function in a.c
//
//	int main(void) { return f(1); }                // p.c
//	int f(int x) { return x; }  int g(void) {...}  // a.c
//
// become one module that defines main and f. g is dropped.
//
// No LLVM pass runs. A pass may exploit undefined behaviour, or delete a load, a store or an assertion before our
// checks are inserted, and thus hide an error of the program.
//
// Resolution and slimming work on the assembly text (package asm) instead of opt's internalize and globaldce, for three
// reasons. A process costs about 30 ms, most of the time of a small proof. The reader sees `declare !dbg` and the
// linkage of variables, which internalize would erase. And overriding, clashing and C99 inline definitions are resolved
// with the user's file names at hand.
//
// The package also ships unitproof.h ([HeaderDir]) and C models of libc functions (models.go). It does not depend on
// the engine, proofs or verdicts.
//
// Principal types: [Toolchain], [Request], [Module], [CompileError]. Reading order: build.go, compile.go, resolve.go,
// link.go, models.go; then the caches (unitcache.go, linkcache.go) and the dialects (dialect.go, conflict.go,
// contract.go).
package clang
