package ir

import (
	"bytes"
	"path/filepath"
	"strings"

	"github.com/unitproof/unitproof/pipeline/clang/asm"
	"github.com/unitproof/unitproof/pipeline/lazyregexp"
)

// Kind is the language of a file of a proof.
type Kind uint8

// The kinds. A file with another extension is C.
const (
	C        Kind = iota
	Assembly      // .ll: LLVM assembly
	Bitcode       // .bc: the same in binary
	Rust          // .rs
)

// KindOf returns the kind of a file by the extension of its name.
func KindOf(file string) Kind {
	switch strings.ToLower(filepath.Ext(file)) {
	case ".ll":
		return Assembly
	case ".bc":
		return Bitcode
	case ".rs":
		return Rust
	}
	return C
}

// Definition is a function with external linkage that a file defines, with the position of its name.
type Definition struct {
	Name         string
	Line, Column int // from 1, in bytes
}

var exported = lazyregexp.New(`^\s*(?:#\[(?:unsafe\()?no_mangle\)?\]\s*)?pub (?:unsafe )?extern "C" fn (\w+)\s*\(`)

// Definitions returns the functions of a text that can be called by a C name, in the order of the text. Bitcode is not
// a text and has none. It works on lines, so the text need not compile.
func Definitions(kind Kind, text []byte) []Definition {
	var definition func(line []byte) (name string, at int)
	switch kind {
	case Assembly:
		definition = defined
	case Rust:
		definition = func(line []byte) (name string, at int) {
			if m := exported.FindSubmatchIndex(line); m != nil {
				return string(line[m[2]:m[3]]), m[2]
			}
			return "", 0
		}
	default:
		return nil
	}
	var list []Definition
	n := 0
	for line := range bytes.Lines(text) {
		n++
		if name, at := definition(line); name != "" {
			list = append(list, Definition{name, n, 1 + at})
		}
	}
	return list
}

// defined returns the function that a line of LLVM assembly defines for other files, and the position of its name. It
// returns "" if C cannot have that name.
func defined(line []byte) (name string, at int) {
	if !bytes.HasPrefix(line, []byte("define ")) {
		return "", 0
	}
	f, err := asm.FunctionSymbol(line, asm.Strong)
	if err != nil || f.Link == asm.Local || f.Link == asm.AvailableExternally || strings.ContainsAny(f.Name, `"-`) {
		return "", 0
	}
	return f.Name, asm.NameStart(line) + 1
}
