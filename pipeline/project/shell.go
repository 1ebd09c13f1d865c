package project

import (
	"errors"
	"strings"
)

// SplitShell splits a line into words like a POSIX shell, without any expansion: only quotes, backslashes and white
// space are special.
func SplitShell(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	in := false // inside a word; an empty quoted string is one
	for i := 0; i < len(line); i++ {
		switch c := line[i]; c {
		case ' ', '\t', '\n', '\r':
			if in {
				words = append(words, word.String())
				word.Reset()
				in = false
			}
		case '\'':
			in = true
			end := strings.IndexByte(line[i+1:], '\'')
			if end < 0 {
				return nil, errors.New("a single quote is not closed")
			}
			word.WriteString(line[i+1 : i+1+end])
			i += end + 1
		case '"':
			in = true
			for i++; ; i++ {
				if i >= len(line) {
					return nil, errors.New("a double quote is not closed")
				}
				if line[i] == '"' {
					break
				}
				if line[i] == '\\' && i+1 < len(line) && strings.IndexByte("\"\\$`\n", line[i+1]) >= 0 {
					i++
					if line[i] == '\n' {
						continue
					}
				}
				word.WriteByte(line[i])
			}
		case '\\':
			if i+1 >= len(line) {
				return nil, errors.New("nothing follows the last backslash")
			}
			i++
			if line[i] != '\n' {
				in = true
				word.WriteByte(line[i])
			}
		default:
			in = true
			word.WriteByte(c)
		}
	}
	if in {
		words = append(words, word.String())
	}
	return words, nil
}
