package contract

import (
	"bytes"
	"slices"

	"github.com/unitproof/unitproof/diagnostics/csource"
)

// Defined returns the functions with contracts that are defined in a text before preprocessing, and their harnesses. A
// harness only declares variables without values and calls one of these functions once: CBMC's form of the proof of a
// contract.
//
// Clauses that are wrapped in macros are not found. A text that cannot be read has none; the error is reported when the
// file is compiled.
func Defined(text []byte) (functions []Name, harnesses []string) {
	if !Mentions(text) {
		return nil, nil
	}
	r, err := newReader(readSource(withoutDirectives(text)))
	if err != nil {
		return nil, nil
	}
	names := map[string]bool{}
	for _, f := range r.functions {
		name := r.word(f.name)
		if f.body >= 0 && !names[name] {
			p := r.src.at(r.tokens[f.name].Start)
			functions = append(functions, Name{Name: name, Line: p.line, Column: p.column})
		}
		names[name] = true
	}
	for i := range r.tokens {
		if r.depth[i] != 0 || r.word(i) == "" || names[r.word(i)] || !r.is(i+1, "(") || r.partner[i+1] < 0 ||
			!r.is(r.partner[i+1]+1, "{") || r.partner[r.partner[i+1]+1] < 0 {
			continue
		}
		if open := r.partner[i+1] + 1; r.onlyCalls(open+1, r.partner[open], names) {
			harnesses = append(harnesses, r.word(i))
		}
	}
	return functions, harnesses
}

// onlyCalls reports whether the tokens are a harness: declarations without values, one call of a function in names, and
// a return.
func (r *reader) onlyCalls(lo, hi int, names map[string]bool) bool {
	calls := 0
	for i := lo; i < hi; i++ {
		switch word := r.word(i); {
		case r.is(i, "=") || r.is(i, "{") || r.is(i, "++") || r.is(i, "--"):
			return false
		case word != "" && word != "return" && word != "sizeof" && r.is(i+1, "("):
			if !names[word] {
				return false
			}
			calls++
		}
	}
	return calls == 1
}

// withoutDirectives returns text with spaces in place of comments and of directives with their continuation lines.
func withoutDirectives(text []byte) []byte {
	out := slices.Clone(text)
	for scan := (csource.Scanner{Text: text}); ; {
		t := scan.Scan()
		if t.Kind == csource.End {
			break
		}
		for i := t.Start; t.Kind == csource.Comment && i < t.End; i++ {
			if out[i] != '\n' {
				out[i] = ' '
			}
		}
	}
	directive := false
	for at := 0; at < len(out); {
		end := len(out)
		if n := bytes.IndexByte(out[at:], '\n'); n >= 0 {
			end = at + n
		}
		row := out[at:end]
		directive = directive || bytes.HasPrefix(bytes.TrimLeft(row, " \t"), []byte("#"))
		goesOn := bytes.HasSuffix(bytes.TrimRight(row, "\r"), []byte("\\"))
		if directive {
			for i := range row {
				row[i] = ' '
			}
		}
		directive = directive && goesOn
		at = end + 1
	}
	return out
}
