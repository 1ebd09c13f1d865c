// Package csource reads C source text as people wrote it: before preprocessing, perhaps unfinished, perhaps not UTF-8. It never fails; what it does
// not recognise it does not find.
//
// There are two ways to read. A Scanner (token.go) knows tokens only. It reads 100 MB/s, 30 times what the parser does, so whatever
// looks at every file of a workspace, or at files of a compilation database, begins with it; and it is right where
// macros are no C, which no grammar is. A Tree (tree.go) is what tree-sitter makes of a text: expressions, statements and
// functions with their ranges.
//
// Offsets count bytes from 0; lines and columns of a File count from 1, columns in bytes.
package csource
