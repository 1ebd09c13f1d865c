package clang

import (
	"strings"

	"github.com/unitproof/unitproof/pipeline/clang/asm"
	"github.com/unitproof/unitproof/pipeline/lazyregexp"
	"github.com/unitproof/unitproof/vcgen/found"
)

// Several units may define one inline function (C11 6.7.4). A `static inline` function belongs to its unit. For an
// `inline` function, and for an `extern inline` one under GNU's older rules, the inline definition is an alternative to
// the external one, and C does not specify which of the two a call in that unit uses. Compilers use the inline one if
// they inline the call, and linkers never see it. Here all calls use one definition: the external one or, without it,
// the first inline one. This makes no difference if the definitions are equal.

// openChoices returns a note for each inline definition that is used in its unit but was not chosen, and that differs
// from the chosen one.
func (p *program) openChoices() []found.Assumption {
	var notes []found.Assumption
	for i, a := range p.modules {
		for _, s := range a.Order {
			h, ok := p.owner[s.Name]
			if s.Link != asm.AvailableExternally || !ok || h.Symbol == s || p.keep[i][s] != asm.Declaration {
				continue
			}
			b := p.modules[h.module]
			file, line := position(a, s)
			other, at := position(b, h.Symbol)
			if same := file == other && line == at; unplaced(a.Bytes(s.Span), same) == unplaced(b.Bytes(h.Span), same) {
				continue
			}
			notes = append(notes, found.Assumption{What: found.ExternalCounts, Name: s.Name, Names: []string{a.File},
				At: found.Pos{File: file, Line: line}, Other: found.Pos{File: other, Line: at}})
		}
	}
	return notes
}

// unplaced returns the text of a function without its position and linkage: it drops references to metadata and
// attributes, the data of sanitizers, and the linkage. With literals, it also drops the names of literals, which are
// numbered per file.
func unplaced(text []byte, literals bool) string {
	_, behind, _ := strings.Cut(reference.ReplaceAllString(string(text), ""), "@")
	behind = handlerCall.ReplaceAllString(behind, "")
	if literals {
		behind = literalName.ReplaceAllString(behind, "@.str")
	}
	return behind
}

var (
	reference   = lazyregexp.New(`,? ?![\w.]+ ?!\d+|[!#]\d+`)
	handlerCall = lazyregexp.New(`(?m)^.*@__ubsan_handle_.*$`)
	literalName = lazyregexp.New(`@(?:\.str|__func__\.\w+|__PRETTY_FUNCTION__\.\w+)(?:\.\d+)?`)
)
