package csource

// LoopHead returns the range of the innermost loop head that contains an offset. It begins at `for` or `while` and
// ends behind the closing parenthesis, where the loop's contract clauses follow. The head of a `do` is that word.
func LoopHead(text []byte, at int) (start, end int, ok bool) {
	word := Token{}
	for scan := (Scanner{Text: text}); ; {
		t := scan.Code()
		if t.Kind == End || word.Start > at {
			return start, end, ok
		}
		if t.Of(text) == "do" && t.Start <= at && at < t.End {
			start, end, ok = t.Start, t.End, true
		}
		if t.Is(text, "(") && (word.Of(text) == "for" || word.Of(text) == "while") {
			if close, closed := Closing(text, t.Start); closed && at <= close {
				start, end, ok = word.Start, close+1, true
			}
		}
		word = t
	}
}
