package main

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/unitproof/unitproof/diagnostics/csource"
)

// plantedBug replaces one token of a function.
type plantedBug struct {
	File, Function string
	Token          string
	Occurrence     int // from 1
	With           string
	Proof          string // the proof that is to find it: its file without folder and "_harness.c"
}

func (b *plantedBug) String() string {
	return fmt.Sprintf("%s: %s → %s (%d)", b.Function, b.Token, cmp.Or(b.With, "nothing"), b.Occurrence)
}

// in is the text with the bug.
func (b *plantedBug) in(text []byte) ([]byte, error) {
	var names []csource.Token
	s := csource.Scanner{Text: text}
	for t := s.Code(); t.Kind != csource.End; t = s.Code() {
		if t.Kind == csource.Ident && t.Of(text) == b.Function {
			names = append(names, t)
		}
	}
	defined := csource.Definitions(text, names, true)
	if len(defined) == 0 {
		return nil, fmt.Errorf("no function %s is defined", b.Function)
	}
	d, n := defined[0], 0
	s = csource.Scanner{Text: text}
	for t := s.Code(); t.Kind != csource.End; t = s.Code() {
		line := 1 + bytes.Count(text[:t.Start], []byte("\n"))
		if line > d.EndLine {
			break
		}
		if line < d.Line || t.Of(text) != b.Token {
			continue
		}
		if n++; n == b.Occurrence {
			return slices.Concat(text[:t.Start], []byte(b.With), text[t.End:]), nil
		}
	}
	return nil, fmt.Errorf("%s has %d times %q, not %d", b.Function, n, b.Token, b.Occurrence)
}
