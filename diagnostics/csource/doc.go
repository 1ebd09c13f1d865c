// Package csource reads C source text as people wrote it: before preprocessing, perhaps unfinished, perhaps not UTF-8.
// It never fails; what it does not recognise it does not find.
//
// There are two ways to read. A Scanner (token.go) knows tokens only. It is 45 times faster than tree-sitter, and 120
// times faster than what it takes to have a tree in Go, so whatever looks at every file of a workspace, or at the files
// of a compilation database, begins with it; and it is right where macros are no C, which no grammar is. A Source
// (source.go) parses the functions around the places that are asked for, and tells the ranges of expressions,
// statements and functions. Definitions (definitions.go) parses whole files.
//
// Offsets count bytes from 0; lines and columns of a File count from 1, columns in bytes.
package csource
