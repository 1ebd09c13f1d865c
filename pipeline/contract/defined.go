package contract

import (
	"bytes"
	"slices"

	"github.com/unitproof/unitproof/diagnostics/csource"
)

// Defined finds the functions with contracts that a file defines, in its text before preprocessing: those whose clauses
// macros wrap are not seen. Harnesses are the functions that do nothing but call one of them, with variables that they
// give no values: proofs of a contract in CBMC's manner. A text that cannot be read has none; compiling it tells why.
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

// onlyCalls tells whether some tokens are declarations without values, one call of one of the functions, and a return.
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

// withoutDirectives has spaces for comments and for the lines of the preprocessor, with those that they go on in.
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
