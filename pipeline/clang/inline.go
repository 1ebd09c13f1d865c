package clang

import (
	"strings"

	"github.com/unitproof/unitproof/pipeline/clang/asm"
	"github.com/unitproof/unitproof/pipeline/lazyregexp"
	"github.com/unitproof/unitproof/vcgen/found"
)

// Several units may define one inline function (C11 6.7.4). A `static inline` one belongs to its unit. Of an `inline`
// one, and of an `extern inline` one under GNU's older rules, the definition is an alternative to the external one, and
// C leaves open which of the two a call in that unit uses: compilers take the inline one where they inline the call,
// and linkers never see it. Here all calls go to one definition: the external one, else the first inline one. Where
// they say the same that makes no difference.

// openChoices tells of the inline definitions that are used in their unit but are not the one that counts, and differ
// from it.
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

// unplaced is the text of a function without what says where it stands: references to metadata and attributes, the data
// of sanitizers, and its linkage. literals leaves the names of literals out as well, which are counted by file.
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
