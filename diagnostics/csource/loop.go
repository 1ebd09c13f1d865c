package csource

// LoopHead returns the range of the innermost loop head that contains an offset. It begins at `for` or `while` and
// ends behind the closing parenthesis, where the loop's contract clauses follow.
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
