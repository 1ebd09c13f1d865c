package ir

import (
	"bytes"
	"path/filepath"
	"strings"

	"github.com/unitproof/unitproof/pipeline/lazyregexp"
)

// Kind is what a file of a proof is written in.
type Kind uint8

// Kinds. What is named otherwise is C.
const (
	C        Kind = iota
	Assembly      // .ll: LLVM assembly
	Bitcode       // .bc: the same in binary
	Rust          // .rs
)

// KindOf goes by the ending of a file's name.
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

// Definition is a function that a file defines and others can call, at its name.
type Definition struct {
	Name         string
	Line, Column int // from 1, in bytes
}

var (
	defined  = lazyregexp.New(`^define [^@]*@([\w$.]+)\(`)
	exported = lazyregexp.New(`^\s*(?:#\[(?:unsafe\()?no_mangle\)?\]\s*)?pub (?:unsafe )?extern "C" fn (\w+)\s*\(`)
	unshared = lazyregexp.New(`^define (?:private|internal|available_externally) `)
)

// Definitions lists the functions of a text that others can call by a name of C, in the order of the text: none of
// bitcode, which is no text. It goes by the lines: the text may be none that a compiler takes.
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
