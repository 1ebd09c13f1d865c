package harness

import (
	"fmt"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/diagnostics/csource"
)

// Stubs of functions without a body, which are written from their declarations: the compiled program knows no more of
// them.

// MissingStub is the definition of a function with a declaration (csource.Declaration). It returns any value within the
// enumerators, gives any content to the memory that its parameters allow it to write, and calls nothing. texts are the
// files that may define its types. It is "" for a declaration that is not understood.
func MissingStub(name string, words []string, texts [][]byte) string {
	at := slices.Index(words, name)
	if at < 1 || at+2 >= len(words) {
		return ""
	}
	result := slices.DeleteFunc(slices.Clone(words[:at]), func(w string) bool { return w == "extern" || w == "inline" })
	if slices.ContainsFunc(words, func(w string) bool { return w == "__attribute__" || w == "[" }) ||
		slices.Contains(result, "(") || slices.Contains(words[at+2:len(words)-1], "(") {
		return "" // of a pointer to a function, a name cannot simply be put behind
	}
	var params []missingParam
	var one []string
	for _, w := range append(slices.Clone(words[at+2:len(words)-1]), ",") {
		if w != "," {
			one = append(one, w)
			continue
		}
		if len(one) > 0 {
			params = append(params, missingParameter(one, len(params)))
		}
		one = nil
	}
	if len(params) == 0 {
		params = []missingParam{{text: "void"}}
	}
	var list []string
	for _, p := range params {
		list = append(list, p.text)
	}
	typ := joined(result)
	head := fmt.Sprintf("%s%s(%s)", spaced(typ), name, strings.Join(list, ", "))
	lines := writes(name, params, texts)
	comment, body := missingResult(name, strings.TrimPrefix(typ, "static "), texts)
	lines = append(lines, body...)
	if len(lines) == 0 {
		return fmt.Sprintf("/* %s */\n%s {}\n\n", comment, head)
	}
	return fmt.Sprintf("/* %s */\n%s {\n  %s\n}\n\n", comment, head, strings.Join(lines, "\n  "))
}

// missingResult returns the comment at the head of a stub, and the statements that return any value of a type.
func missingResult(name, typ string, texts [][]byte) (comment string, lines []string) {
	switch {
	case typ == "void":
		return fmt.Sprintf("Stub: say here what %s writes.", name), nil
	case strings.HasSuffix(typ, "*"): // the user has to choose the target
		return fmt.Sprintf("Stub: say here what %s returns, and what it writes.", name), []string{"return 0;"}
	}
	comment = fmt.Sprintf("Stub: say with assume() what %s may return, and what it writes.", name)
	if first, last := enumerators(typ, texts); first != "" {
		return comment, []string{typ + " arbitrary;", "memhavoc(&arbitrary, sizeof arbitrary);",
			fmt.Sprintf("assume(arbitrary >= %s && arbitrary <= %s);", first, last), "return arbitrary;"}
	}
	if any, ok := arbitraryValues[typ]; ok {
		return comment, []string{"return nd_" + any + "();"}
	}
	return comment, []string{typ + " arbitrary;", "memhavoc(&arbitrary, sizeof arbitrary);", "return arbitrary;"}
}

// missingParam is a parameter of a declaration.
type missingParam struct {
	text, name string
	words      []string // of its type
}

// writes are the statements that give any content to the targets of parameters. An unknown extent is a question.
func writes(name string, params []missingParam, texts [][]byte) (lines []string) {
	for i, p := range params {
		n := len(p.words)
		if n < 2 || p.words[n-1] != "*" || slices.Contains(p.words[:n-1], "const") {
			continue
		}
		target := slices.DeleteFunc(slices.Clone(p.words[:n-1]), func(w string) bool {
			return w == "restrict" || w == "volatile"
		})
		size := "sizeof *" + p.name
		bytes := slices.Equal(target, []string{"void"}) || slices.Contains(target, "char") ||
			slices.Equal(target, []string{"uint8_t"})
		length := i+1 < len(params) && lengthName.MatchString(params[i+1].name) && !slices.Contains(params[i+1].words, "*")
		switch {
		case bytes && length:
			size = params[i+1].name
		case target[0] == "void" || bytes || !complete(target, texts):
			lines = append(lines, fmt.Sprintf("(void)%s; /* Question: what does %s write to %s? */", p.name, name, p.name))
			continue
		case length:
			size = fmt.Sprintf("%s * sizeof *%s", params[i+1].name, p.name)
		}
		lines = append(lines, fmt.Sprintf("if (sea_is_dereferenceable(%s, %s)) memhavoc(%s, %s);", p.name, size, p.name,
			size))
	}
	return lines
}

// complete reports whether any bytes are a value of a type: numbers, and structs of the texts without pointers.
func complete(words []string, texts [][]byte) bool {
	if words[0] == "struct" && len(words) == 2 {
		for _, text := range texts {
			if body := bodyOf(text, words); body != nil {
				return !slices.Contains(body, "*") && !slices.Contains(body, "struct") && !slices.Contains(body, "(")
			}
		}
		return false
	}
	return !slices.ContainsFunc(words, func(w string) bool {
		_, number := arbitraryValues[w]
		return !number && !typeWords[w]
	})
}

// bodyOf is the tokens between the braces behind some words; nil if a text does not have them.
func bodyOf(text []byte, words []string) []string {
	var last []string
	for s := (csource.Scanner{Text: text}); ; {
		t := s.Code()
		if t.Kind == csource.End {
			return nil
		}
		w := t.Of(text)
		if w == "{" && len(last) >= len(words) && slices.Equal(last[len(last)-len(words):], words) {
			body := []string{}
			for depth := 1; ; {
				t := s.Code()
				w := t.Of(text)
				switch {
				case t.Kind == csource.End:
					return nil
				case w == "{":
					depth++
				case w == "}":
					if depth--; depth == 0 {
						return body
					}
				}
				body = append(body, w)
			}
		}
		last = append(last, w)
	}
}

// enumerators are the first and the last of an enumeration of the texts whose enumerators follow each other.
func enumerators(typ string, texts [][]byte) (first, last string) {
	words := strings.Fields(typ)
	if len(words) != 2 || words[0] != "enum" {
		return "", ""
	}
	for _, text := range texts {
		body := slices.DeleteFunc(bodyOf(text, words), func(w string) bool { return w == "," })
		if len(body) >= 2 && !slices.Contains(body, "=") {
			return body[0], body[len(body)-1]
		}
	}
	return "", ""
}

// missingParameter is a parameter with a name, which a definition has to have.
func missingParameter(words []string, i int) missingParam {
	last := words[len(words)-1]
	typed := func(w string) bool {
		return w != "const" && w != "volatile" && w != "struct" && w != "union" && w != "enum"
	}
	switch {
	case len(words) == 1 && (last == "void" || last == "..."), last == "...":
		return missingParam{text: joined(words)}
	case csource.IsIdentStart(last[0]) && !typeWords[last] && slices.ContainsFunc(words[:len(words)-1], typed):
		return missingParam{joined(words), last, words[:len(words)-1]} // int n, const char *what
	}
	name := string(rune('a' + i%26))
	return missingParam{spaced(joined(words)) + name, name, words}
}

// typeWords end a type without a name.
var typeWords = map[string]bool{"int": true, "char": true, "short": true, "long": true, "unsigned": true,
	"signed": true, "float": true, "double": true, "_Bool": true, "bool": true, "const": true, "restrict": true,
	"volatile": true}

// joined puts words of a declaration together as people write them.
func joined(words []string) string {
	var b strings.Builder
	for i, w := range words {
		if i > 0 && !strings.HasSuffix(b.String(), "*") {
			b.WriteByte(' ')
		}
		b.WriteString(w)
	}
	return b.String()
}

// spaced is a type with the space between it and a name.
func spaced(typ string) string {
	if strings.HasSuffix(typ, "*") {
		return typ
	}
	return typ + " "
}
