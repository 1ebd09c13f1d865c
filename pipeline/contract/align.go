package contract

import (
	"bytes"
	"slices"

	"github.com/unitproof/unitproof/diagnostics/csource"
)

// Preprocessing keeps lines but not columns: it replaces runs of blanks by one space and expands macros. Findings have
// columns, so each token is moved back to its original column: the tokens of a preprocessed line are matched with the
// tokens of the same line of the file, which are equal outside macros. Tokens of a macro's expansion get the position
// of the macro's name, as in clang's debug information.

// maxAligned limits the number of tokens of each side in commonSubsequence, whose cost is the product.
const maxAligned = 1500

// aligned returns the preprocessed text with tokens at their original columns. Only files that read returns are
// aligned; the tokens of other files keep their columns.
func aligned(text []byte, read func(file string) []byte) *source {
	s := readSource(text)
	w := writer{src: s}
	originals := map[int]*original{}
	fine := map[int]userPos{}
	next := 0 // offset of the first byte that is not written yet
	for i := 0; i < len(s.lines); i++ {
		l := s.lines[i]
		o, known := originals[l.file]
		if !known {
			if data := read(s.files[l.file]); data != nil {
				o = newOriginal(data)
			}
			originals[l.file] = o
		}
		if o == nil || len(bytes.TrimSpace(s.text[l.start:l.end])) == 0 {
			continue
		}
		last := l.line // last of the file's lines that this one was made from
		for k := i + 1; k < len(s.lines) && s.lines[k].file == l.file && s.lines[k].line == last+1 &&
			len(bytes.TrimSpace(s.text[s.lines[k].start:s.lines[k].end])) == 0; k++ {
			last++
		}
		w.raw(s.text[next:l.start])
		w.place, w.known = userPos{l.file, l.line, 1}, true
		w.line(o, l, last, fine)
		next = l.end
	}
	w.raw(s.text[next:])
	out := readSource(w.out)
	out.fine = fine
	out.originals = map[int]*original{}
	for i, name := range out.files {
		for k, o := range originals {
			if s.files[k] == name && o != nil {
				out.originals[i] = o
			}
		}
	}
	return out
}

// original is the text of a file before preprocessing.
type original struct {
	text   []byte
	tokens []csource.Token
	lines  []int // by line, from 1: index of the first token in the line or behind it
	starts []int // by line, from 1: offset of the line
}

func newOriginal(text []byte) *original {
	o := &original{text: text, starts: []int{0, 0}, lines: []int{0}}
	for i, c := range text {
		if c == '\n' {
			o.starts = append(o.starts, i+1)
		}
	}
	for scan := (csource.Scanner{Text: text}); ; {
		t := scan.Code()
		if t.Kind == csource.End {
			break
		}
		o.tokens = append(o.tokens, t)
	}
	k := 0
	for _, start := range o.starts[1:] {
		for k < len(o.tokens) && o.tokens[k].Start < start {
			k++
		}
		o.lines = append(o.lines, k)
	}
	o.lines = append(o.lines, len(o.tokens))
	return o
}

// offset returns the offset of a place, or -1 if the place is outside the file.
func (o *original) offset(p userPos) int {
	if p.line < 1 || p.line >= len(o.starts) || o.starts[p.line]+p.column-1 > len(o.text) {
		return -1
	}
	return o.starts[p.line] + p.column - 1
}

// words returns the text of the file from the token at a to the token at b, both included, or "" if there is none.
func (o *original) words(a, b userPos) string {
	from, to := o.offset(a), o.offset(b)
	if from < 0 || to < from {
		return ""
	}
	return string(csource.OneLine(o.text[from:csource.SkipToken(o.text, to)]))
}

// inside returns the text between the parenthesis at p and its partner, and false if there is no parenthesis at p.
func (o *original) inside(p userPos) (string, bool) {
	k, found := slices.BinarySearchFunc(o.tokens, o.offset(p), func(t csource.Token, at int) int { return t.Start - at })
	if !found || !o.tokens[k].Is(o.text, "(") {
		return "", false
	}
	depth := 0
	for _, t := range o.tokens[k:] {
		if t.Is(o.text, "(") {
			depth++
		} else if t.Is(o.text, ")") {
			if depth--; depth == 0 {
				return string(csource.OneLine(o.text[o.tokens[k].End:t.Start])), true
			}
		}
	}
	return "", false
}

// callOf returns the place of the name of the call whose first argument begins at p. It works on tokens: false if they
// do not look like a call.
func (o *original) callOf(p userPos) (userPos, bool) {
	at := o.offset(p)
	k, found := slices.BinarySearchFunc(o.tokens, at, func(t csource.Token, at int) int { return t.Start - at })
	if !found || k < 2 || !o.tokens[k-1].Is(o.text, "(") || o.tokens[k-2].Kind != csource.Ident {
		return userPos{}, false
	}
	name := o.tokens[k-2]
	line := p.line
	for line > 1 && o.starts[line] > name.Start {
		line--
	}
	return userPos{p.file, line, name.Start - o.starts[line] + 1}, true
}

// between returns the tokens of a range of lines, and a function that maps the index of a token to its position.
func (o *original) between(first, last int) (tokens []csource.Token, at func(k int) (line, column int)) {
	if first < 1 || first >= len(o.lines) {
		return nil, nil
	}
	last = min(last, len(o.lines)-2)
	tokens = o.tokens[o.lines[first]:max(o.lines[first], o.lines[last+1])]
	return tokens, func(k int) (int, int) {
		n := first
		for n+1 < len(o.starts) && o.starts[n+1] <= tokens[k].Start {
			n++
		}
		return n, tokens[k].Start - o.starts[n] + 1
	}
}

// line writes a line of the preprocessed text with its tokens at their positions in the lines l.line to last of the
// file.
func (w *writer) line(o *original, l line, last int, fine map[int]userPos) {
	var have []csource.Token
	for scan := (csource.Scanner{Text: w.src.text[:l.end], Next: l.start}); ; {
		t := scan.Code()
		if t.Kind == csource.End {
			break
		}
		have = append(have, t)
	}
	want, at := o.between(l.line, last)
	match := matching(w.src.text, have, o.text, want)
	macro := expansions(o.text, want, match)
	gap := 0 // index behind the last matched token of want
	put := userPos{l.file, l.line, 1}
	for i, t := range have {
		k := match[i]
		own := k
		if k < 0 && gap < len(want) { // from the expansion of the next macro, or of the previous one
			own = gap
			for own < len(want) && want[own].Kind != csource.Ident {
				own++
			}
			if own == len(want) || taken(match, own) {
				own = max(gap-1, 0)
			}
		} else if k < 0 {
			own = len(want) - 1
		} else {
			gap = k + 1
		}
		if own >= 0 && own < len(want) {
			coarse := own
			if m := macro[own]; m >= 0 {
				coarse = m
			}
			n, c := at(coarse)
			put = userPos{l.file, n, c}
			w.move(put)
			if coarse != own {
				n, c = at(own)
				fine[len(w.out)] = userPos{l.file, n, c}
			}
		} else {
			w.move(put)
		}
		w.raw(w.src.text[t.Start:t.End])
		if i+1 < len(have) && have[i+1].Start > t.End {
			w.raw([]byte(" "))
		}
	}
	here := w.place.line
	w.raw([]byte("\n"))
	if here != l.line { // the next text belongs to the following line of the file
		w.mark(userPos{l.file, l.line + 1, 1})
	}
}

// taken reports whether some token of the preprocessed text is matched with token k of the file.
func taken(match []int, k int) bool {
	for _, m := range match {
		if m == k {
			return true
		}
	}
	return false
}

// matching returns for each token of a the index of its partner in b, or -1.
//
// It matches words first, by a longest common subsequence, and then all tokens between two matched words. A single pass
// over all tokens would match the parentheses of expansions with unrelated ones.
func matching(text []byte, a []csource.Token, other []byte, b []csource.Token) []int {
	match := make([]int, len(a))
	same := func(i, k int) bool {
		return bytes.Equal(text[a[i].Start:a[i].End], other[b[k].Start:b[k].End])
	}
	lo := 0
	for lo < len(a) && lo < len(b) && same(lo, lo) {
		match[lo] = lo
		lo++
	}
	hiA, hiB := len(a), len(b)
	for hiA > lo && hiB > lo && same(hiA-1, hiB-1) {
		hiA, hiB = hiA-1, hiB-1
		match[hiA] = hiB
	}
	for i := lo; i < hiA; i++ {
		match[i] = -1
	}
	words := func(text []byte, tokens []csource.Token, hi int) (list []int) {
		for i := lo; i < hi; i++ {
			if csource.IsIdentByte(text[tokens[i].Start]) {
				list = append(list, i)
			}
		}
		return list
	}
	all := func(lo, hi int) (list []int) {
		for i := lo; i < hi; i++ {
			list = append(list, i)
		}
		return list
	}
	match0, match1 := lo, lo // behind the last matched word of a and of b
	pairs := commonSubsequence(words(text, a, hiA), words(other, b, hiB), true, same)
	for _, p := range append(pairs, [2]int{hiA, hiB}) {
		for _, q := range commonSubsequence(all(match0, p[0]), all(match1, p[1]), false, same) {
			match[q[0]] = q[1]
		}
		if p[0] < hiA {
			match[p[0]] = p[1]
		}
		match0, match1 = p[0]+1, p[1]+1
	}
	return match
}

// commonSubsequence returns a longest common subsequence as pairs of elements of a and b. Among several it prefers, if
// late, the one that drops unmatched elements of a before unmatched elements of b, and the other order if not late. It
// returns nil if a or b has more than maxAligned elements.
func commonSubsequence(a, b []int, late bool, same func(i, k int) bool) (pairs [][2]int) {
	n, m := len(a), len(b)
	if n == 0 || m == 0 || n > maxAligned || m > maxAligned {
		return nil
	}
	length := make([][]int32, n+1)
	for i := range length {
		length[i] = make([]int32, m+1)
	}
	for i := n - 1; i >= 0; i-- {
		for k := m - 1; k >= 0; k-- {
			if same(a[i], b[k]) {
				length[i][k] = length[i+1][k+1] + 1
			} else {
				length[i][k] = max(length[i+1][k], length[i][k+1])
			}
		}
	}
	for i, k := 0, 0; i < n && k < m; {
		switch {
		case same(a[i], b[k]) && length[i][k] == length[i+1][k+1]+1:
			pairs = append(pairs, [2]int{a[i], b[k]})
			i, k = i+1, k+1
		case length[i+1][k] > length[i][k+1] || late && length[i+1][k] == length[i][k+1]:
			i++
		default:
			k++
		}
	}
	return pairs
}

// expansions returns for each token of the file the index of the macro name whose call contains the token, or -1. A
// macro name belongs to its own call. Macro names are identifiers of the file without a partner in the preprocessed
// text.
func expansions(text []byte, want []csource.Token, match []int) []int {
	there := make([]bool, len(want))
	for _, k := range match {
		if k >= 0 {
			there[k] = true
		}
	}
	out := make([]int, len(want))
	for k := 0; k < len(want); k++ {
		out[k] = -1
		if there[k] || want[k].Kind != csource.Ident {
			continue
		}
		name := k
		out[k] = name
		if k+1 < len(want) && want[k+1].Is(text, "(") {
			depth := 0
			for k++; k < len(want); k++ {
				out[k] = name
				if want[k].Is(text, "(") {
					depth++
				} else if want[k].Is(text, ")") {
					if depth--; depth == 0 {
						break
					}
				}
			}
		}
	}
	return out
}
