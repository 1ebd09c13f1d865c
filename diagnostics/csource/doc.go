// Package csource reads C source text before preprocessing, which may be unfinished and need not be UTF-8. It has no
// errors: code that it does not recognize is skipped.
//
// There are two readers.
//
//   - A Scanner (token.go) splits text into tokens. It is 45 times faster than tree-sitter, and 120 times faster than
//     building a tree in Go, so each function that reads all files of a workspace or of a compilation database starts
//     with it. It also handles macros that are not C, which no grammar does.
//   - A Source (source.go) parses the functions around requested places with tree-sitter, and returns the ranges of
//     expressions, statements and functions.
//
// For example, clang reports an overflow at the operator, and Source.Range returns the operands too:
//
//	int sum = f(a) + b;
//	               ^       the position in LLVM's debug locations
//	          ~~~~~^~~     Range(offset, Operation)
//
// Further functions: Definitions and DefinedNames (definitions.go) list the definitions of a whole file; DeadCode and
// DeadCases (choices.go) find statements that dead branches control; LoopHead (loop.go), CallAt and Split
// (expression.go) work on tokens alone.
//
// Offsets count bytes from 0; lines and columns of a File count from 1, columns in bytes.
package csource
