package quantifier

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/unitproof/unitproof/diagnostics/csource"
)

// maxVariables is the maximal number of variables of an engine quantifier.
const maxVariables = 3

// variable is a variable of a quantifier: its first value, and the condition under which the next value is examined, in
// C.
type variable struct {
	typ, name, from, while string
}

// forEngine writes a quantifier as a loop, whose body the engine executes once, for arbitrary values. It returns false
// if a variable has no upper bound, since the loop would be too long for a run. at is the position behind the
// quantifier's word; lines do not move.
func (q quantifier) forEngine(at int, form Form) (out []byte, ok bool) {
	vars, condition, ok := q.flat(form)
	if !ok {
		return nil, false
	}
	name, start := "forall", "1"
	if q.exists {
		name, start = "exists", "0"
	}
	var b strings.Builder
	// The head takes the lines of the text between the quantifier's word and the body.
	b.WriteString("(__extension__({ extern int __unitproof_symbolic(void); " +
		"extern unsigned long long __unitproof_bound(void); ")
	fmt.Fprintf(&b, "extern _Bool __unitproof_%s(_Bool, unsigned long long, unsigned long long, unsigned long long); ",
		name)
	fmt.Fprintf(&b, "int unitproof_any = __unitproof_symbolic(); _Bool unitproof_all = %s; ", start)
	for _, v := range vars {
		fmt.Fprintf(&b, "%s %s; ", v.typ, v.name)
	}
	for _, v := range vars {
		fmt.Fprintf(&b, "%[1]s = unitproof_any ? (%[2]s)__unitproof_bound() : %[3]s; do { "+
			"if (!unitproof_any && !(%[4]s)) break; ", v.name, v.typ, v.from, v.while)
	}
	b.WriteString("unitproof_all = ")
	b.Write(condition)
	b.WriteString("; ")
	goOn := "unitproof_all"
	if q.exists {
		goOn = "!unitproof_all"
	}
	for i := range vars {
		v := vars[len(vars)-1-i]
		fmt.Fprintf(&b, "} while (!unitproof_any && %s && !__builtin_add_overflow(%s, 1, &%s)); ", goOn, v.name, v.name)
	}
	fmt.Fprintf(&b, "unitproof_any ? __unitproof_%s(unitproof_all", name)
	for i := range maxVariables {
		if i < len(vars) {
			fmt.Fprintf(&b, ", (unsigned long long)%s", vars[i].name)
		} else {
			b.WriteString(", 0")
		}
	}
	b.WriteString(") : unitproof_all; }))")
	out = []byte(b.String())
	lines := bytes.Count(q.text[at:q.end+1], []byte("\n")) - bytes.Count(out, []byte("\n"))
	return append(out, lineEnds(q.text[at:q.end+1], lines)...), lines >= 0
}

// lineEnds returns n line ends, with backslashes if text belongs to a macro.
func lineEnds(text []byte, n int) (out []byte) {
	end := "\n"
	if bytes.Contains(text, []byte("\\\n")) {
		end = " \\\n"
	}
	return []byte(strings.Repeat(end, max(n, 0)))
}

// flat returns the variables of a quantifier and of the directly nested quantifiers of the same kind. condition is the
// condition on all of them.
func (q quantifier) flat(form Form) (vars []variable, condition []byte, ok bool) {
	v, ok := q.variable()
	if !ok {
		return nil, nil, false
	}
	if in, there := q.inner(); there {
		vars, condition, ok = in.flat(form)
		if ok && len(vars) < maxVariables {
			for _, other := range vars {
				ok = ok && other.name != v.name
			}
			if ok {
				if q.arrow >= 0 {
					premise := nested(q.text[q.semicolon+1:q.arrow], form)
					condition = fmt.Appendf(nil, "(!(%s) || %s)", premise, condition)
				}
				return append([]variable{v}, vars...), condition, true
			}
		}
	}
	return []variable{v}, q.condition(form), true
}

// inner returns the quantifier of the same kind that is the complete conclusion.
func (q quantifier) inner() (in quantifier, ok bool) {
	from := q.semicolon + 1
	if q.arrow >= 0 {
		from = q.arrow + 3
	}
	part := q.text[:q.end]
	for s := (csource.Scanner{Text: part, Next: from}); ; {
		t := s.Code()
		switch {
		case t.Is(part, "("):
			continue
		case t.Kind != csource.Ident || t.Of(part) != string(words[0]) && t.Of(part) != string(words[1]):
			return in, false
		}
		in, ok = readQuantifier(part, t.End, t.Of(part) == string(words[1]))
		if !ok || in.exists != q.exists {
			return in, false
		}
		for s := (csource.Scanner{Text: part, Next: in.end + 1}); ; {
			switch t := s.Code(); {
			case t.Kind == csource.End:
				return in, true
			case !t.Is(part, ")"):
				return in, false
			}
		}
	}
}

// variable returns the quantifier's own variable with its bounds.
func (q quantifier) variable() (v variable, ok bool) {
	m := declarator.FindStringSubmatch(oneLine(q.declaration()))
	if m == nil || q.exists != (q.arrow < 0) {
		return v, false
	}
	v.typ, v.name = m[1], m[2]
	premise := oneLine(q.body())
	if q.arrow >= 0 {
		premise = oneLine(q.text[q.semicolon+1 : q.arrow])
	}
	lowest := fmt.Sprintf("(%[1]s)((%[1]s)-1 > 0 ? 0 : -1ull << (sizeof(%[1]s) * 8 - 1))", v.typ)
	for _, part := range conjuncts(premise) {
		switch op, bound := comparison(part, v.name); op {
		case ">", ">=":
			if v.from == "" {
				v.from = fmt.Sprintf("(%s)(%s)", v.typ, bound)
			}
		case "<", "<=":
			if v.while == "" {
				v.while = v.name + " " + op + " (" + bound + ")"
			}
		}
	}
	for _, word := range words {
		if strings.Contains(v.from+v.while, string(word)) {
			return v, false
		}
	}
	small := strings.Contains(v.typ, "char") || strings.Contains(v.typ, "int8_t")
	if v.while == "" && small {
		v.while = "1"
	}
	if v.from == "" {
		v.from = lowest
	}
	return v, v.while != ""
}
