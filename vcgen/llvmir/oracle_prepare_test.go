package llvmir

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/llir/ll"
)

// prepare checks and rewrites the text for llir.
func prepare(text []byte) (string, error) {
	out, err := keepNaNPayloads(dropReturnAlign(dropUnknown(string(text))))
	if err != nil {
		return "", err
	}
	return out, checkTokens(out)
}

// checkTokens rejects words that llir does not know.
//
// Its parser silently ignores them, including attributes that change the meaning of the program.
func checkTokens(text string) error {
	var l ll.Lexer
	l.Init(text)
	for {
		switch l.Next() {
		case ll.EOI:
			return nil
		case ll.INVALID_TOKEN:
			start, end := l.Pos()
			return fmt.Errorf("line %d: %q is no word of LLVM 14 that is known here", 1+strings.Count(text[:start], "\n"),
				text[start:end])
		}
	}
}

// unknown are words of LLVM 14 without a meaning here that llir rejects, with their replacements.
//
// A word ends before the next character that is not a letter, digit or underscore.
var unknown = []struct{ prefix, instead string }{
	{"cc: DW_CC_LLVM_", "cc: DW_CC_normal"},
}

// dropUnknown replaces the unknown words outside strings.
func dropUnknown(text string) string {
	for _, u := range unknown {
		var out []byte
		copied := 0
		for at := 0; ; {
			i := strings.Index(text[at:], u.prefix)
			if i < 0 {
				break
			}
			start := at + i
			at = start + len(u.prefix)
			if quoted(text, start) {
				continue
			}
			for at < len(text) && (text[at] == '_' || text[at] >= '0' && text[at] <= '9' || text[at]|0x20 >= 'a' &&
				text[at]|0x20 <= 'z') {
				at++
			}
			out = append(append(out, text[copied:start]...), u.instead...)
			copied = at
		}
		if copied > 0 {
			text = string(append(out, text[copied:]...))
		}
	}
	return text
}

// dropReturnAlign removes the promised alignment of a call's result (assume_aligned, alloc_align, aligned_alloc).
//
// llir cannot parse it, and promises of the compiler prove nothing here.
func dropReturnAlign(text string) string {
	var out []byte
	copied := 0
	for at := 0; ; {
		i := strings.Index(text[at:], " align ")
		if i < 0 {
			break
		}
		start := at + i
		at = start + len(" align ")
		line := text[strings.LastIndexByte(text[:start], '\n')+1 : start]
		if strings.ContainsAny(line, "(@\"!") {
			continue // of a parameter, an argument, a function or a load
		}
		if !strings.HasPrefix(line, "declare") && !strings.HasPrefix(line, "define") && !strings.Contains(line+" ", "call ") {
			continue
		}
		end := at
		for end < len(text) && text[end] >= '0' && text[end] <= '9' {
			end++
		}
		out = append(out, text[copied:start]...)
		copied = end
	}
	if copied == 0 {
		return text
	}
	return string(append(out, text[copied:]...))
}

// keepNaNPayloads rewrites NaNs other than the default one to bit casts, because llir keeps only the sign of a NaN.
//
// LLVM prints a NaN as 0x and the 16 digits of a double.
func keepNaNPayloads(text string) (string, error) {
	const digits = 16
	var out []byte
	copied := 0
	for at := 0; ; {
		i := strings.Index(text[at:], "0x")
		if i < 0 {
			break
		}
		start := at + i
		at = start + len("0x")
		if !isNaNPrefix(text[start:]) || start+2+digits > len(text) {
			continue
		}
		v, err := strconv.ParseUint(text[start+2:start+2+digits], 16, 64)
		if err != nil || v&(1<<52-1) == 0 || v&^(1<<63) == 0x7FF8<<48 || quoted(text, start) {
			continue
		}
		before := text[copied:start]
		switch {
		case strings.HasSuffix(before, "float "):
			// The literal of a float is written as the double with the same value.
			b := uint32(v>>63)<<31 | math.Float32bits(float32(math.Inf(1))) | uint32(v>>29&(1<<23-1))
			out = fmt.Appendf(append(out, before...), "bitcast (i32 %d to float)", b)
		case strings.HasSuffix(before, "double "):
			out = fmt.Appendf(append(out, before...), "bitcast (i64 %d to double)", v)
		default:
			return "", fmt.Errorf("line %d: NaN with a payload in this position", 1+strings.Count(text[:start], "\n"))
		}
		copied = start + 2 + digits
	}
	if copied == 0 {
		return text, nil
	}
	return string(append(out, text[copied:]...)), nil
}

// isNaNPrefix reports whether s begins like a float whose exponent bits are all ones.
func isNaNPrefix(s string) bool {
	return strings.HasPrefix(s, "0x7FF") || strings.HasPrefix(s, "0xFFF")
}

// quoted reports whether the offset is in a string. LLVM writes no quote and no line end in strings.
func quoted(text string, offset int) bool {
	line := text[strings.LastIndexByte(text[:offset], '\n')+1 : offset]
	return strings.Count(line, "\"")%2 == 1
}
