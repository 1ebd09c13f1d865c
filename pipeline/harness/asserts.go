package harness

import (
	"iter"
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

// asserted writes the assertions with which the function begins as assumptions: the code states its preconditions. It
// adds the assertions of the functions to which it passes its parameters.
func (w *writer) asserted() {
	f, ok := definedIn([][]byte{w.Text}, w.Function)
	if !ok {
		return
	}
	var own []string
	for _, raw := range assertionsOf(f) {
		condition, ok := w.ofParameters(raw)
		if !ok {
			break
		}
		if condition != "" {
			own = append(own, condition)
			w.line("assume("+condition+");", w.ask("does each caller guarantee what the code asserts, "+condition+"?"))
		}
	}
	for _, c := range calledAssertions(slices.Concat([][]byte{w.Text}, w.Code), f, 0) {
		condition, ok := w.ofParameters(c.condition)
		if !ok || condition == "" || slices.Contains(own, condition) {
			continue
		}
		own = append(own, condition)
		assumed := condition
		for i := range w.params {
			if p := &w.params[i]; p.null && slices.Contains(words([]byte(condition)), p.name) {
				assumed = p.name + " == NULL || (" + assumed + ")"
			}
		}
		w.line("assume("+assumed+");", w.ask("does each caller guarantee what "+c.function+" asserts, "+condition+"?"))
	}
}

// definition is a function with the text of its file.
type definition struct {
	csource.Function
	text []byte
}

// definedIn returns the first definition of a function in some files.
func definedIn(texts [][]byte, name string) (definition, bool) {
	for _, text := range texts {
		if f, ok := csource.NewSource(text).Function(name); ok {
			return definition{f, text}, true
		}
	}
	return definition{}, false
}

// assertionsOf returns the conditions that a function asserts before its first other statement.
func assertionsOf(f definition) (list []string) {
	for statement := range statements(f.text[f.Body+1 : f.End]) {
		switch call, isCall := csource.CallAt(statement, 0); {
		case isCall && assertion.MatchString(call.Name):
			arguments, _ := csource.Split(call.Args, ",") // a message may follow
			list = append(list, string(csource.OneLine(arguments[0])))
		case !declaresOnly(statement):
			return list
		}
	}
	return list
}

// statements yields the statements of a body without braces, up to the first one with braces.
func statements(body []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for at := csource.SkipTrivia(body, 0); at < len(body); at = csource.SkipTrivia(body, at) {
			end := at
			for end < len(body) && body[end] != ';' && body[end] != '{' && body[end] != '}' {
				end = csource.SkipToken(body, end)
			}
			if end >= len(body) || body[end] != ';' || !yield(body[at:end]) {
				return
			}
			at = end + 1
		}
	}
}

// calledAssertion is a condition on parameters that a called function asserts.
type calledAssertion struct{ function, condition string }

// maxAssertingCalls limits the chain of calls to a function with assertions.
const maxAssertingCalls = 3

// calledAssertions returns the assertions of functions about parameters that are passed to them in each execution: by
// the statements before the first one with braces or a condition.
func calledAssertions(texts [][]byte, f definition, depth int) (list []calledAssertion) {
	if depth == maxAssertingCalls {
		return nil
	}
	for statement := range statements(f.text[f.Body+1 : f.End]) {
		if conditional.Match(statement) {
			break
		}
		for i := range statement {
			call, ok := csource.CallAt(statement, i)
			if !ok || assertion.MatchString(call.Name) || call.Name == f.Name {
				continue
			}
			callee, ok := definedIn(texts, call.Name)
			if !ok {
				continue
			}
			var found []calledAssertion
			for _, condition := range assertionsOf(callee) {
				found = append(found, calledAssertion{call.Name, condition})
			}
			found = append(found, calledAssertions(texts, callee, depth+1)...)
			arguments, _ := csource.Split(call.Args, ",")
			for _, c := range found {
				if condition, ok := passed(c.condition, parameterNames(callee), arguments); ok {
					list = append(list, calledAssertion{c.function, condition})
				}
			}
		}
		if assigns.Match(statement) && !declaresOnly(statement) {
			break // the parameters may be others from here on
		}
	}
	return list
}

var (
	conditional = lazyregexp.New(`^(?:if|for|while|do|switch|goto|case|default|else)\b|\?|&&|\|\|`)
	assigns     = lazyregexp.New(`[^=!<>]=[^=]|\+\+|--`)
)

// parameterNames returns the names of a function's parameters in a text.
func parameterNames(f definition) (names []string) {
	text := f.text
	open := csource.SkipTrivia(text, f.NameEnd)
	if open >= len(text) || text[open] != '(' {
		return nil
	}
	end, ok := csource.Closing(text, open)
	if !ok {
		return nil
	}
	list, _ := csource.Split(text[open+1:end], ",")
	for _, p := range list {
		name := ""
		if all := words(p); len(all) > 0 && !slices.Contains([]byte(p), '(') {
			name = all[len(all)-1]
		}
		names = append(names, name)
	}
	return names
}

// passed returns a condition on parameters as one on the arguments of a call; false if an argument is no name.
func passed(condition string, params []string, arguments [][]byte) (string, bool) {
	if len(params) != len(arguments) {
		return "", false
	}
	text := []byte(condition)
	var b strings.Builder
	done, member := 0, false
	s := csource.Scanner{Text: text}
	for t := s.Code(); t.Kind != csource.End; t = s.Code() {
		word := t.Of(text)
		if i := slices.Index(params, word); t.Kind == csource.Ident && !member && i >= 0 {
			argument := strings.TrimSpace(string(arguments[i]))
			if !plainName.MatchString(argument) {
				return "", false
			}
			b.WriteString(condition[done:t.Start] + argument)
			done = t.End
		}
		member = word == "." || word == "->"
	}
	return b.String() + condition[done:], true
}

var plainName = lazyregexp.New(`^[A-Za-z_]\w*$`)

// words returns the identifiers of a text.
func words(text []byte) (list []string) {
	s := csource.Scanner{Text: text}
	for t := s.Code(); t.Kind != csource.End; t = s.Code() {
		if t.Kind == csource.Ident {
			list = append(list, t.Of(text))
		}
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
		case word == "sizeof" && opensBracket(text, t.End):
			end, ok := csource.Closing(text, csource.SkipTrivia(text, t.End))
			if !ok || !w.namesType(text[t.End:end]) {
				return "", false
			}
			s.Next = end + 1
		case w.enumerators[word] || w.enumerator(word):
		case opensBracket(text, t.End) && w.callable(word):
		case macro.MatchString(word) || word == "true" || word == "false":
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

// namesType reports whether headers of the project declare each word of a type.
func (w *writer) namesType(text []byte) bool {
	for _, word := range words(text) {
		pattern := regexp.MustCompile(`\b` + regexp.QuoteMeta(word) + `\b`)
		if !csource.IsKeyword(word) && !slices.ContainsFunc(w.Texts, pattern.Match) {
			return false
		}
	}
	return true
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
	for _, f := range w.functionsOfFile() {
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
