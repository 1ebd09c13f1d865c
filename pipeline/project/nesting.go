package project

import "strings"

// maxDepth limits the number of parts of a dotted key plus the brackets around a value. The deepest meaningful position
// has five; the TOML library needs space that is quadratic in the depth.
const maxDepth = 16

// nestedTooDeep returns the offset in a text, TOML or not, at which keys and values are nested deeper than maxDepth, or
// -1. Parts of a key and brackets count together.
func nestedTooDeep(text string) int {
	depth, dots := 0, 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '#':
			end := strings.IndexByte(text[i:], '\n')
			if end < 0 {
				return -1
			}
			i += end - 1 // a newline counts
		case '"', '\'':
			end := stringEnd(text, i)
			if end < 0 {
				return -1
			}
			i = end - 1
		case '[', '{':
			depth, dots = depth+1, 0
		case ']', '}':
			depth, dots = max(depth-1, 0), 0
		case '\n', '=', ',':
			dots = 0
		case '.':
			dots++
		}
		if depth+dots > maxDepth {
			return i
		}
	}
	return -1
}

// stringEnd returns the offset behind a string of any of the four kinds that starts at i, or -1 if it does not end.
func stringEnd(text string, i int) int {
	quote := text[i : i+1]
	if long := strings.Repeat(quote, 3); strings.HasPrefix(text[i:], long) {
		for at := i + 3; at < len(text); at++ {
			switch {
			case text[at] == '\\' && quote == `"`:
				at++
			case strings.HasPrefix(text[at:], long):
				return at + 3
			}
		}
		return -1
	}
	for at := i + 1; at < len(text); at++ {
		switch {
		case text[at] == '\\' && quote == `"`:
			at++
		case text[at] == '\n': // an error that the library reports
			return at
		case text[at] == quote[0]:
			return at + 1
		}
	}
	return -1
}
