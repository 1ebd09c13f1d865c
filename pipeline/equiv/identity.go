package equiv

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"slices"

	"github.com/unitproof/unitproof/pipeline/clang/asm"
	"github.com/unitproof/unitproof/pipeline/lazyregexp"
)

// identities returns a function for each version: it maps the symbols of the version to texts, which are equal if the
// symbols have equal definitions, with everything that they lead to. The definitions of the compared function count as
// equal. The text of an unknown symbol is "".
func (b *builder) identities() (after, before func(symbol string) string) {
	x, y := refined(b.after, b.before, (*side).definitions)
	lookup := func(s *side, digests map[string]digest) func(string) string {
		return func(symbol string) string {
			sym := s.m.Symbols[symbol]
			if sym == nil {
				if sym = s.m.Symbols[`"`+symbol+`"`]; sym == nil {
					return ""
				}
			}
			if sym.Name == s.function.Name {
				return "the compared function"
			}
			return fmt.Sprintf("%x", digests[sym.Name])
		}
	}
	return lookup(b.after, x), lookup(b.before, y)
}

var (
	// sanitizerPlace is a place of the source in the data of a sanitizer's check.
	sanitizerPlace = lazyregexp.New(`\{ ptr @[-\w.$]+, i32 \d+, i32 \d+ \}`)
	// assertionLine is the line in the call of glibc that reports an assertion, behind the texts of its condition and
	// file.
	assertionLine = lazyregexp.New(`(?m)^(.*call void @__assert_fail\(ptr noundef [^,]+, ptr noundef [^,]+, )` +
		`i32 noundef \d+(, ptr noundef [^,]+\).*)$`)
	namedType   = lazyregexp.New(`(?m)^%("[^"]*"|[-\w.$]+) = type (.*)$`)
	percentName = lazyregexp.New(`%("[^"]*"|[-\w.$]+)`)
)

// definitions is like ownDigests, with three differences: types count with their definitions, places in the source do
// not count, and neither does the definition of the compared function.
func (s *side) definitions() (own map[string]digest, refs map[string][]string) {
	types := map[string]string{}
	for _, m := range namedType.FindAllSubmatch(s.text, -1) {
		types[string(m[1])] = string(m[2])
	}
	own, refs = map[string]digest{}, map[string][]string{}
	for _, sym := range s.m.Order {
		h := sha256.New()
		data := isData(s.m, sym)
		if !isPrivate(s.m, sym) && !data {
			io.WriteString(h, sym.Name)
		}
		if s.threadLocal[sym.Name] {
			io.WriteString(h, " of a thread")
		}
		if !defined(sym) && sym.Kind == asm.Function { // another type, convention or attribute of a parameter
			h.Write(s.withoutNumbers(s.m.Bytes(sym.Span)))
		}
		if defined(sym) && sym.Name != s.function.Name {
			text := s.withoutNumbers(s.m.Bytes(sym.Span))
			if data {
				text = sanitizerPlace.ReplaceAll(text, nil)
			}
			if bytes.Contains(text, []byte("@__assert")) {
				text = assertionLine.ReplaceAll(text, []byte("$1$2"))
			}
			refs[sym.Name] = writeNameless(h, text)
			for _, name := range usedTypes(text, types) {
				fmt.Fprintf(h, "%%%s = %s\n", name, types[name])
			}
		}
		own[sym.Name] = digest(h.Sum(nil))
	}
	return own, refs
}

// usedTypes returns the named types in a text, and those in their definitions, sorted.
func usedTypes(text []byte, types map[string]string) (list []string) {
	seen := map[string]bool{}
	var add func(text []byte)
	add = func(text []byte) {
		for _, m := range percentName.FindAllSubmatch(text, -1) {
			name := string(m[1])
			if body, ok := types[name]; ok && !seen[name] {
				seen[name] = true
				list = append(list, name)
				add([]byte(body))
			}
		}
	}
	add(text)
	slices.Sort(list)
	return list
}
