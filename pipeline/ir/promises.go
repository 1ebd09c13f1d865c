package ir

import (
	"bytes"

	"github.com/unitproof/unitproof/pipeline/lazyregexp"
)

// newer matches attributes that LLVM 20 to 23 print and older versions do not know. All of them are promises to the
// optimizer, so removing them does not change the meaning.
var newer = lazyregexp.New(` (?:captures\([^()]*\)|initializes\(\([^()]*\)(?:, \([^()]*\))*\)|nocreateundeforpoison|dead_on_return(?:\([^()]*\))?|noext|nodivergencesource|coro_elide_safe|noipa)`)

// WithoutNewerPromises removes the attributes that tools of LLVM 14 to 19 cannot read, such as the clang that compiles
// a text for a native run.
func WithoutNewerPromises(text []byte) []byte {
	var out bytes.Buffer
	out.Grow(len(text))
	for line := range bytes.Lines(text) {
		switch {
		case bytes.HasPrefix(line, []byte("declare ")), bytes.HasPrefix(line, []byte("define ")),
			bytes.HasPrefix(line, []byte("attributes #")),
			line[0] == ' ' && (bytes.Contains(line, []byte("call ")) || bytes.Contains(line, []byte("invoke "))):
			if newer.Match(line) {
				out.WriteString(newer.ReplaceAllString(string(line), ""))
				continue
			}
		}
		out.Write(line)
	}
	return out.Bytes()
}
