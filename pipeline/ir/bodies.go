package ir

import (
	"bytes"

	"github.com/unitproof/unitproof/pipeline/lazyregexp"
)

var (
	head      = lazyregexp.New(`^define (?:[^@"]|"[^"]*")*@("[^"]*"|[-\w.$]+)\(`)
	ownership = lazyregexp.New(`^define (?:(?:private|internal|available_externally|linkonce|linkonce_odr|weak|weak_odr|external|dso_local|hidden|protected|default) )*`)
	behind    = lazyregexp.New(` (?:comdat(?:\([^)]*\))?|align \d+|section "[^"]*"|personality .*?)( !dbg !\d+)?( \{)$`)
	opened    = lazyregexp.New(`(?: !dbg !\d+)? \{$`)
)

// WithoutBodies replaces the definitions of the functions for which drop is true by declarations. Names are without
// quotes.
func WithoutBodies(text []byte, drop func(name string) bool) []byte {
	var out bytes.Buffer
	out.Grow(len(text))
	dropping := false
	for line := range bytes.Lines(text) {
		switch {
		case dropping:
			dropping = line[0] != '}'
			continue
		case bytes.HasPrefix(line, []byte("define ")):
			m := head.FindSubmatch(line)
			if m == nil || !drop(string(bytes.Trim(m[1], `"`))) {
				break
			}
			dropping = true
			s := string(bytes.TrimRight(line, "\r\n"))
			s = ownership.ReplaceAllString(s, "declare ")
			for behind.MatchString(s) {
				s = behind.ReplaceAllString(s, "$1$2")
			}
			out.WriteString(opened.ReplaceAllString(s, "") + "\n")
			continue
		}
		out.Write(line)
	}
	return out.Bytes()
}
