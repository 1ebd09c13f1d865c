package harness

import (
	"regexp"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/pipeline/lazyregexp"
)

var (
	assertion = lazyregexp.New(`(?i)^(?:\w*_)?assert(?:_?true)?$`)
	macro     = lazyregexp.New(`^[A-Z][A-Z0-9_]*$`)
)

// asserted writes the assertions with which the function begins as assumptions: the code states its preconditions.
func (w *writer) asserted() {
	for _, condition := range w.firstAssertions() {
		w.line("assume("+condition+");", w.ask("does each caller guarantee what the code asserts, "+condition+"?"))
	}
}

// firstAssertions returns the conditions about parameters that the function asserts before its first statement.
func (w *writer) firstAssertions() (list []string) {
	f, ok := csource.NewSource(w.Text).Function(w.Function)
	if !ok {
		return nil
	}
	body := w.Text[f.Body+1 : f.End]
	for at := csource.SkipTrivia(body, 0); at < len(body); at = csource.SkipTrivia(body, at) {
		end := at
		for end < len(body) && body[end] != ';' && body[end] != '{' && body[end] != '}' {
			end = csource.SkipToken(body, end)
		}
		if end >= len(body) || body[end] != ';' {
			return list
		}
		statement := body[at:end]

		switch call, isCall := csource.CallAt(statement, 0); {
		case isCall && assertion.MatchString(call.Name):
			arguments, _ := csource.Split(call.Args, ",") // a message may follow
			condition, ok := w.ofParameters(string(csource.OneLine(arguments[0])))
			if !ok {
				return list
			}
			if condition != "" {
				list = append(list, condition)
			}
		case !declaresOnly(statement):
			return list
		}
		at = end + 1
	}
	return list
}

// declaresOnly reports whether a statement declares variables without calls and other effects, or drops a value.
func declaresOnly(statement []byte) bool {
	text := string(csource.OneLine(statement))
	if strings.HasPrefix(text, "(void)") || strings.HasPrefix(text, "(void )") {
		return !strings.Contains(text[5:], "(")
	}
	return declaration.MatchString(text) && !strings.ContainsAny(text, "(") && !strings.Contains(text, "++") &&
		!strings.Contains(text, "--")
}

var declaration = lazyregexp.New(`^[A-Za-z_]\w*(?:\s+|\s*\*+\s*(?:const\s+)?)[A-Za-z_]`)

// ofParameters returns a condition if it is about parameters and constants only; "" if it is known without it.
func (w *writer) ofParameters(condition string) (string, bool) {
	text := []byte(condition)
	about := false
	s := csource.Scanner{Text: text}
	var before csource.Token
	for t := s.Code(); t.Kind != csource.End; t = s.Code() {
		switch word := t.Of(text); {
		case t.Kind != csource.Ident:
			if word == "=" || word == "++" || word == "--" || strings.HasPrefix(word, "\"") {
				return "", false
			}
		case before.End > 0 && (before.Is(text, "->") || before.Is(text, ".")):
		case w.enumerators[word] || w.enumerator(word):
		case opensBracket(text, t.End) && w.callable(word):
		case macro.MatchString(word) || word == "sizeof" || word == "true" || word == "false":
		case w.parameterNamed(word) != nil:
			about = true
		default:
			return "", false
		}
		before = t
	}
	plainCondition := strings.TrimSpace(notNull.ReplaceAllString(condition, "$1"))
	if p := w.parameterNamed(plainCondition); p != nil && p.asserted {
		return "", true
	}
	return strings.TrimSpace(condition), about
}

// opensBracket reports whether a bracket follows, as behind the name of a called function.
func opensBracket(text []byte, at int) bool {
	at = csource.SkipTrivia(text, at)
	return at < len(text) && text[at] == '('
}

// enumerator reports whether a header of the project defines a name as an enumerator.
func (w *writer) enumerator(name string) bool {
	pattern := regexp.MustCompile(`\benum\b[^;{}()]*\{[^}]*\b` + regexp.QuoteMeta(name) + `\b\s*[,=}/]`)
	return slices.ContainsFunc(w.Texts, pattern.Match)
}

// callable reports whether the proof can call a function of the program.
func (w *writer) callable(name string) bool {
	pattern := regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\s*\(`)
	for _, f := range w.Program.Funcs {
		if f.SourceName == name && len(f.Blocks) > 0 && name != w.Function {
			return w.Include || f.External && slices.ContainsFunc(w.Texts, pattern.Match)
		}
	}
	return false
}

var notNull = lazyregexp.New(`^\s*\(?(\w+)\s*(?:!=\s*NULL)?\)?\s*$`)

func (w *writer) parameterNamed(name string) *parameter {
	for i := range w.params {
		if w.params[i].name == name {
			return &w.params[i]
		}
	}
	return nil
}
