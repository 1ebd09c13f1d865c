package diagnostics

import (
	"strings"

	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/diagnostics/phrase"
	"github.com/unitproof/unitproof/diagnostics/source"
	"github.com/unitproof/unitproof/vcgen/found"
)

// maxValue limits the length of a value inside a sentence; the trace has the full value.
const maxValue = 48

// lvaluesIn returns the variables and simple member expressions of an expression, in order of first appearance,
// without spaces: "r", "g->limit", "a[i]", "buf.data[0]". Names of called functions, keywords and members alone are
// excluded.
func lvaluesIn(expr []byte) []string {
	var out []string
	seen := map[string]bool{}
	member := false // behind . or ->
	for i := 0; i < len(expr); {
		if i = csource.SkipTrivia(expr, i); i >= len(expr) {
			break
		}
		if !csource.IsIdentStart(expr[i]) || member {
			end := csource.SkipToken(expr, i)
			member = string(expr[i:end]) == "." || string(expr[i:end]) == "->"
			i = end
			continue
		}
		chain, end, called := lvalueAt(expr, i)
		i = end
		if !called && len(chain) > 0 {
			// The longest chain comes first: a caller may fall back on its prefixes.
			if name := chain[len(chain)-1]; !seen[name] {
				seen[name] = true
				out = append(out, name)
			}
		}
	}
	return out
}

// lvalueAt parses the chain of members and subscripts that starts at i; chain has its prefixes, shortest first. The
// end lies before the first subscript, so that its index is scanned separately.
func lvalueAt(expr []byte, i int) (chain []string, end int, called bool) {
	end = csource.WordEnd(expr, i)
	name := string(expr[i:end])
	chain = []string{name}
	resume := 0
	for at := end; ; {
		next := csource.SkipTrivia(expr, at)
		if next >= len(expr) {
			break
		}
		op := csource.OperatorAt(expr, next)
		if op == "(" {
			return nil, end, true
		}
		if op == "[" {
			closed, ok := csource.Closing(expr, next)
			if !ok {
				break
			}
			if resume == 0 {
				resume = next
			}
			name += "[" + source.Code(expr[next+1:closed]) + "]"
			at = closed + 1
			chain = append(chain, name)
			continue
		}
		if op != "." && op != "->" {
			break
		}
		member := csource.SkipTrivia(expr, next+len(op))
		if member >= len(expr) || !csource.IsIdentStart(expr[member]) {
			break
		}
		at = csource.WordEnd(expr, member)
		name += op + string(expr[member:at])
		chain = append(chain, name)
		if resume == 0 {
			end = at
		}
	}
	if resume > 0 {
		end = resume
	}
	return chain, end, false
}

// operandValues returns "r = 100, hi = 99" for the variables of an expression whose values are known. The innermost
// variable of a name counts.
func operandValues(expr []byte, vars []found.Variable) string {
	if len(vars) == 0 {
		return ""
	}
	known := map[string]string{}
	for _, v := range vars {
		name := source.Code([]byte(v.Name))
		if _, shadowed := known[name]; !shadowed {
			known[name] = v.Value
		}
	}
	var parts []string
	said := map[string]bool{}
	for _, name := range lvaluesIn(expr) {
		value, ok := known[name]
		if !ok {
			// The value of the struct or pointer helps if the member's is unknown.
			name = baseName(name)
			value, ok = known[name]
		}
		value = phrase.OneLine(value)
		if !ok || said[name] || value == "" || len(value) > maxValue {
			continue
		}
		said[name] = true
		parts = append(parts, name+" = "+value)
	}
	return strings.Join(parts, ", ")
}

func baseName(lvalue string) string {
	return lvalue[:csource.WordEnd([]byte(lvalue), 0)]
}

// CompactValue shortens a rendered value to at most width runes, if it is longer. Zeros are omitted from structs and
// written once for arrays, as in C initialisers:
//
//	{.slots = {0, 0, 0, 0}, .head = 0, .len = 9}  becomes  {.len = 9}
//
// A value that is still too long is cropped.
func CompactValue(value string, width int) string {
	if len([]rune(value)) > width {
		value = compactInitialiser(value)
	}
	return phrase.Shorten(value, width)
}

// zeros are the values that an initialiser may omit.
var zeros = map[string]bool{"0": true, "false": true, "NULL": true, "0.0": true, "{0}": true}

func compactInitialiser(value string) string {
	inner, opens := strings.CutPrefix(value, "{")
	inner, closes := strings.CutSuffix(inner, "}")
	if !opens || !closes {
		return value
	}
	parts, _ := csource.Split([]byte(inner), ",")
	var out []string
	zero := true
	for _, p := range parts {
		name, v := "", strings.TrimSpace(string(p))
		if i := strings.Index(v, " = "); i > 0 && v[0] == '.' {
			name, v = v[:i+3], v[i+3:]
		}
		v = compactInitialiser(v)
		if !zeros[v] {
			zero = false
		} else if name != "" {
			continue
		}
		out = append(out, name+v)
	}
	if zero {
		return "{0}"
	}
	return "{" + strings.Join(out, ", ") + "}"
}
