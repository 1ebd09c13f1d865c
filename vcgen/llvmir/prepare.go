package llvmir

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
)

// maxNesting bounds brackets within brackets: llir walks them by recursion, and a Go program
// cannot recover from an exhausted stack.
const maxNesting = 5000

// prepare checks and rewrites the text before llir sees it.
func prepare(text []byte) (string, error) {
	if err := checkNesting(text); err != nil {
		return "", err
	}
	return keepNaNPayloads(string(text))
}

func checkNesting(text []byte) error {
	line, depth, stars := 1, 0, 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '\n':
			line++
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\n' {
					line++
				}
			}
		case ';':
			for i+1 < len(text) && text[i+1] != '\n' {
				i++
			}
		case '(', '[', '{', '<':
			depth++
		case ')', ']', '}', '>':
			depth = max(0, depth-1)
		case '*':
			if stars++; stars > maxNesting {
				return fmt.Errorf("line %d: pointers are nested too deeply", line)
			}
			continue
		case ' ':
			continue
		}
		stars = 0
		if depth > maxNesting {
			return fmt.Errorf("line %d: brackets are nested too deeply", line)
		}
	}
	return nil
}

// nanLiteral matches the hexadecimal floats with an exponent of all ones: infinities and NaNs.
var nanLiteral = regexp.MustCompile(`(\bfloat |\bdouble )?\b0x([7F]FF[0-9A-F]{13})\b`)

// keepNaNPayloads writes NaNs other than the default one as bit casts, since llir keeps no more
// than the sign of a NaN.
func keepNaNPayloads(text string) (string, error) {
	found := nanLiteral.FindAllStringSubmatchIndex(text, -1)
	if found == nil {
		return text, nil
	}
	var out []byte
	last := 0
	for _, m := range found {
		v, err := strconv.ParseUint(text[m[4]:m[5]], 16, 64)
		if err != nil || v&(1<<52-1) == 0 || v&^(1<<63) == 0x7FF8<<48 {
			continue
		}
		if m[2] < 0 {
			return "", fmt.Errorf("line %d: NaN with a payload in this position", lineAt(text, m[0]))
		}
		out = append(out, text[last:m[0]]...)
		if text[m[2]:m[3]] == "float " {
			// The literal of a float is written as the double with the same value.
			b := uint32(v>>63)<<31 | math.Float32bits(float32(math.Inf(1))) | uint32(v>>29&(1<<23-1))
			out = fmt.Appendf(out, "float bitcast (i32 %d to float)", b)
		} else {
			out = fmt.Appendf(out, "double bitcast (i64 %d to double)", v)
		}
		last = m[1]
	}
	if last == 0 {
		return text, nil
	}
	return string(append(out, text[last:]...)), nil
}

func lineAt(text string, offset int) int {
	line := 1
	for i := 0; i < offset; i++ {
		if text[i] == '\n' {
			line++
		}
	}
	return line
}
