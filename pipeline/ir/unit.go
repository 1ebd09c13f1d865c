package ir

import (
	"bytes"
	"path/filepath"
	"strings"

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

var (
	defined  = lazyregexp.New(`^define [^@]*@([\w$.]+)\(`)
	exported = lazyregexp.New(`^\s*(?:#\[(?:unsafe\()?no_mangle\)?\]\s*)?pub (?:unsafe )?extern "C" fn (\w+)\s*\(`)
	unshared = lazyregexp.New(`^define (?:private|internal|available_externally) `)
)

// Definitions returns the functions of a text that can be called by a C name, in the order of the text. Bitcode is not
// a text and has none. It works on lines, so the text need not compile.
func Definitions(kind Kind, text []byte) []Definition {
	head := defined
	switch kind {
	case Assembly:
	case Rust:
		head = exported
	default:
		return nil
	}
	var list []Definition
	line := 0
	for text := range bytes.Lines(text) {
		line++
		if kind == Assembly && (text[0] != 'd' || unshared.Match(text)) {
			continue
		}
		if m := head.FindSubmatch(text); m != nil {
			list = append(list, Definition{string(m[1]), line, 1 + bytes.LastIndex(m[0], m[1])})
		}
	}
	return list
}
