package quantifier

import (
	"fmt"
	"strings"

	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/pipeline/lazyregexp"
)

// maxQuantified is the maximal number of values for which a quantifier becomes a loop.
const maxQuantified = 256

// boundedQuantifier returns the beginning of the replacement of a quantifier whose body bounds its variable from above:
// clang chooses the loop if the bound is a small constant. The caller appends the other form and a parenthesis. The
// result is empty if the body has no such bound. arrow is the position of ==> in the body, negative without one.
func boundedQuantifier(declaration, body []byte, arrow int, exists bool) string {
	m := declarator.FindStringSubmatch(oneLine(declaration))
	if m == nil || exists != (arrow < 0) { // the bound is a premise, or a conjunct of an exists
		return ""
	}
	typ, variable := m[1], m[2]
	premise, holds := oneLine(nested(body, Expanded)), ""
	if arrow >= 0 {
		premise = oneLine(nested(body[:arrow], Expanded))
		holds = fmt.Sprintf("!(%s) || (%s)", premise, oneLine(nested(body[arrow+3:], Expanded)))
	} else {
		holds = premise
	}
	limit, within, fromZero := "", "", false
	for _, part := range conjuncts(premise) {
		switch op, bound := comparison(part, variable); {
		case op == ">=" && bound == "0":
			fromZero = true
		case op == "<" || op == "<=":
			limit, within = bound, op
		}
	}
	if limit == "" {
		return ""
	}
	small := map[string]string{"<": "<=", "<=": "<"}[within] // at most maxQuantified values
	signed := ""
	if !fromZero {
		signed = fmt.Sprintf(" && (%s)-1 > 0", typ)
	}
	start, join := "1", "&="
	if exists {
		start, join = "0", "|="
	}
	return fmt.Sprintf("__builtin_choose_expr(__builtin_constant_p(%[1]s) ? (%[1]s) >= 0 && (%[1]s) %[9]s %[2]d%[3]s : "+
		"0, "+
		"(__extension__({ _Bool unitproof_all = %[4]s; for (__typeof__(sizeof 0) unitproof_i = 0; unitproof_i %[10]s "+
		"(%[1]s); "+
		"unitproof_i++) "+
		"{ %[5]s %[6]s = (%[5]s)unitproof_i; unitproof_all %[7]s (%[8]s); } unitproof_all; })), ",
		limit, maxQuantified, signed, start, typ, variable, join, holds, small, within)
}

// declarator matches the declaration of one variable with a named type.
var declarator = lazyregexp.New(`^\s*(\w+(?: +\w+)*) +(\w+)\s*$`)

// oneLine returns a piece of C without comments and line ends, so that it can be written twice.
func oneLine(text []byte) string { return string(csource.OneLine(text)) }

// conjuncts returns the operands of the top-level && of a condition, without parentheses around them.
func conjuncts(text string) []string {
	text = strings.TrimSpace(text)
	depth, from := 0, 0
	var out []string
	closed := -1 // the position of the parenthesis that closes the first one
	src := []byte(text)
	for s := (csource.Scanner{Text: src}); ; {
		t := s.Code()
		if t.Kind == csource.End {
			break
		}
		if t.Kind != csource.Operator {
			continue
		}
		switch op := t.Of(src); {
		case op == "(" || op == "[" || op == "{":
			depth++
		case op == ")" || op == "]" || op == "}":
			if depth--; depth == 0 && closed < 0 {
				closed = t.Start
			}
		case depth > 0:
		case op == "&&":
			out = append(out, conjuncts(text[from:t.Start])...)
			from = t.End
		case op == "||" || op == "?" || op == "," || assigns[op]:
			return nil // the top-level operator is not &&
		}
	}
	if from > 0 {
		return append(out, conjuncts(text[from:])...)
	}
	if strings.HasPrefix(text, "(") && closed == len(text)-1 {
		return conjuncts(text[1 : len(text)-1])
	}
	return []string{text}
}

var assigns = map[string]bool{"=": true, "+=": true, "-=": true, "*=": true, "/=": true, "%=": true, "&=": true,
	"|=": true, "^=": true,
	"<<=": true, ">>=": true}

// comparison parses `variable op bound`, or the same with swapped operands; op is empty for everything else.
func comparison(text, variable string) (op, bound string) {
	src, depth, at := []byte(text), 0, csource.Token{}
	for s := (csource.Scanner{Text: src}); ; {
		t := s.Code()
		if t.Kind == csource.End {
			break
		}
		if t.Kind != csource.Operator {
			continue
		}
		switch op := t.Of(src); op {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		case "<", "<=", ">", ">=":
			if depth > 0 {
				continue
			}
			if at.End > 0 {
				return "", "" // a < b < c
			}
			at = t
		case "==", "!=", "&", "|", "^", "?", ",", "&&", "||", "!":
			if depth == 0 { // an operator that binds weaker than a comparison
				return "", ""
			}
		default:
			if assigns[op] && depth == 0 {
				return "", ""
			}
		}
	}
	if at.End == 0 {
		return "", ""
	}
	a, op, b := bareName(text[:at.Start]), at.Of(src), strings.TrimSpace(text[at.End:])
	if a != variable {
		a, b = bareName(b), strings.TrimSpace(text[:at.Start])
		op = map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<="}[op]
	}
	if a != variable || mentions(b, variable) {
		return "", ""
	}
	return op, b
}

// bareName returns a text without surrounding spaces and parentheses.
func bareName(text string) string {
	for {
		text = strings.TrimSpace(text)
		if !strings.HasPrefix(text, "(") || !strings.HasSuffix(text, ")") {
			return text
		}
		text = text[1 : len(text)-1]
	}
}

// mentions reports whether an identifier occurs in a text.
func mentions(text, name string) bool {
	src := []byte(text)
	for s := (csource.Scanner{Text: src}); ; {
		t := s.Code()
		if t.Kind == csource.End {
			return false
		}
		if t.Kind == csource.Ident && t.Of(src) == name {
			return true
		}
	}
}
