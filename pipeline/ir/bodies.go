package ir

import (
	"bytes"
	"strings"

	"github.com/unitproof/unitproof/pipeline/clang/asm"
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
			f, err := asm.FunctionSymbol(line, asm.Strong)
			if err != nil || !drop(strings.Trim(f.Name, `"`)) {
				break
			}
			if declaration, err := asm.DeclareFunction(f, line); err == nil {
				dropping = true
				out.Write(declaration)
				continue
			}
		}
		out.Write(line)
	}
	return out.Bytes()
}
