package asm

import (
	"bytes"
	"fmt"

	"github.com/unitproof/unitproof/pipeline/lazyregexp"
)

// ArbitraryStatics removes the initialisers from the variables of a linked program, like goto-instrument
// --nondet-static. It keeps the initialisers of
//
//   - constants,
//   - private variables, which clang creates: string literals, the data of sanitizers,
//   - the variables of models, and
//   - the standard streams, which are open files at any time.
//
// Other variables become declarations marked `externally_initialized`, whose content is arbitrary for the reader.
func ArbitraryStatics(text []byte) ([]byte, error) {
	a, err := Cut("the linked program", text)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	pos := 0
	for _, s := range a.Order {
		line := a.Bytes(s.Span)
		if s.Kind != Variable || s.Link == Declared || s.Link == WeaklyDeclared || s.Link == Appending ||
			bytes.HasPrefix(line, []byte("@llvm.")) || bytes.HasPrefix(line, []byte("@__unitproof_")) ||
			standardStream.Match(line) {
			continue
		}
		declaration, err := declareVariable(s, line)
		if err != nil {
			return nil, fmt.Errorf("nondet-static: %w", err)
		}
		before, after, ok := bytes.Cut(declaration, []byte(" global "))
		if !ok || privateVariable.Match(line) { // a constant
			continue
		}
		out.Write(text[pos:s.Start])
		pos = s.End
		fmt.Fprintf(&out, "%s externally_initialized global %s%s\n", before, bytes.TrimSpace(after),
			variableTail.FindSubmatch(line)[1])
	}
	out.Write(text[pos:])
	return out.Bytes(), nil
}

var (
	standardStream  = lazyregexp.New(`^@std(in|out|err) = `)
	privateVariable = lazyregexp.New(`^@\S+ = private `)
	variableTail    = lazyregexp.New(`((?:, align \d+)?(?:, !dbg !\d+)*)\s*$`)
)
