package csource

import "bytes"

// The functions below parse expressions by tokens, since they may be in macros or be incomplete in an editor.
// Unbalanced brackets end the parsing.

// MaxSpan limits the bytes that a scan reads, so that a missing bracket costs little.
const MaxSpan = 4096

// IsKeyword reports whether a word is a keyword that can precede an operand or a bracket.
func IsKeyword(word string) bool {
	switch word {
	case "if", "while", "for", "switch", "return", "else", "do", "case", "goto", "sizeof":
		return true
	}
	return false
}

// Closing returns the offset of the bracket that closes the one at i, or false if there is none within MaxSpan.
func Closing(src []byte, i int) (int, bool) {
	limit := min(len(src), i+MaxSpan)
	var open []byte
	for i < limit {
		i = SkipTrivia(src, i)
		if i >= limit {
			break
		}
		switch c := src[i]; c {
		case '(', '[', '{':
			open = append(open, c)
		case ')', ']', '}':
			want := map[byte]byte{')': '(', ']': '[', '}': '{'}[c]
			if open[len(open)-1] != want {
				return 0, false
			}
			if open = open[:len(open)-1]; len(open) == 0 {
				return i, true
			}
		}
		i = SkipToken(src, i)
	}
	return 0, false
}

// Split splits src at the top-level occurrences of the given operators; seps has their offsets. Unbalanced brackets
// end the splitting.
func Split(src []byte, ops ...string) (parts [][]byte, seps []int) {
	start := 0
	for i := 0; i < len(src); {
		if i = SkipTrivia(src, i); i >= len(src) {
			break
		}
		if bytes.IndexByte([]byte("([{"), src[i]) >= 0 {
			end, ok := Closing(src, i)
			if !ok {
				break
			}
			i = end + 1
			continue
		}
		end := SkipToken(src, i)
		for _, op := range ops {
			if string(src[i:end]) == op {
				parts, seps = append(parts, src[start:i]), append(seps, i)
				start = end
				break
			}
		}
		i = end
	}
	return append(parts, src[start:]), seps
}

// Invocation is a call or a function-like macro in the text.
type Invocation struct {
	Name       string
	Start, End int // of the whole call; End is behind the bracket
	Args       []byte
}

// CallAt returns the call whose name starts at i.
func CallAt(src []byte, i int) (Invocation, bool) {
	if i >= len(src) || !IsIdentStart(src[i]) || i > 0 && IsIdentByte(src[i-1]) {
		return Invocation{}, false
	}
	w := WordEnd(src, i)
	open := SkipTrivia(src, w)
	if open >= len(src) || src[open] != '(' {
		return Invocation{}, false
	}
	end, ok := Closing(src, open)
	if !ok {
		return Invocation{}, false
	}
	return Invocation{Name: string(src[i:w]), Start: i, End: end + 1, Args: src[open+1 : end]}, true
}
