package csource

// LoopHead finds the loop around whose head a place lies: from its word, `for` or `while`, to behind the parenthesis
// that closes it, where the clauses of its contract stand. Of heads inside of each other it is the inner one.
func LoopHead(text []byte, at int) (start, end int, ok bool) {
	word := Token{}
	for scan := (Scanner{Text: text}); ; {
		t := scan.Code()
		if t.Kind == End || t.Start > at {
			return start, end, ok
		}
		if t.Is(text, "(") && (word.Of(text) == "for" || word.Of(text) == "while") {
			if close, closed := Closing(text, t.Start); closed && at <= close {
				start, end, ok = word.Start, close+1, true
			}
		}
		word = t
	}
}
