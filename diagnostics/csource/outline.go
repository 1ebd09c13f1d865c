package csource

import "slices"

// Call describes the tokens that follow an identifier.
type Call struct {
	Is    bool // an opening parenthesis follows
	Empty bool // () or (void)
	Body  bool // (...), then words and further (...), then a brace
}

// maxNesting limits the parentheses that CallBehind follows; f(f(f(… would take quadratic time.
const maxNesting = 64

// CallBehind classifies the tokens behind an identifier that ends at an offset.
func CallBehind(text []byte, at int) Call {
	s := Scanner{Text: text, Next: at}
	t := s.Code()
	if t.Kind != Operator || text[t.Start] != '(' {
		return Call{}
	}
	c := Call{Is: true}
	inside, first := 0, Token{}
	for depth := 1; depth > 0; {
		if t = s.Code(); t.Kind == End {
			return c
		}
		if t.Kind == Operator {
			switch text[t.Start] {
			case '(':
				if depth++; depth > maxNesting {
					return c
				}
			case ')':
				depth--
			case '{', '}', ';':
				return c
			}
		}
		if depth > 0 {
			if inside++; inside == 1 {
				first = t
			}
		}
	}
	c.Empty = inside == 0 || inside == 1 && string(text[first.Start:first.End]) == "void"
	for depth := 0; ; {
		switch t = s.Code(); {
		case t.Kind == Ident || t.Kind == Literal && depth > 0 || t.Kind == Number && depth > 0:
		case t.Kind != Operator:
			return c
		case text[t.Start] == '(':
			depth++
		case text[t.Start] == ')' && depth > 0:
			depth--
		case text[t.Start] == ',' && depth > 0:
		case text[t.Start] == '{' && depth == 0:
			c.Body = true
			return c
		default:
			return c
		}
	}
}

// OuterNames returns the identifiers outside of all braces, except those of extern "C" {. If the braces are unbalanced,
// as when both branches of an #if open a function, it returns all identifiers.
func OuterNames(text []byte) []string {
	var outer []string
	depth, linkages := 0, 0
	language := false // the preceding token is the string of extern "C"
	afterExtern := false
	for s := (Scanner{Text: text}); ; {
		t := s.Code()
		outside := language
		language, afterExtern = t.Kind == Literal && afterExtern, t.Kind == Ident && t.Of(text) == "extern"
		switch {
		case t.Kind == End:
			if depth == 0 {
				return sortedSet(outer)
			}
			return sortedSet(allNames(text))
		case t.Kind == Ident && depth == 0:
			outer = append(outer, string(text[t.Start:t.End]))
		case t.Kind == Operator && text[t.Start] == '{' && depth == 0 && outside:
			linkages++
		case t.Kind == Operator && text[t.Start] == '{':
			depth++
		case t.Kind == Operator && text[t.Start] == '}' && depth == 0 && linkages > 0:
			linkages--
		case t.Kind == Operator && text[t.Start] == '}':
			if depth--; depth < 0 {
				return sortedSet(allNames(text))
			}
		}
	}
}

func allNames(text []byte) []string {
	var names []string
	for s := (Scanner{Text: text}); ; {
		t := s.Scan()
		if t.Kind == End {
			return names
		}
		if t.Kind == Ident {
			names = append(names, string(text[t.Start:t.End]))
		}
	}
}

// functionPlaces returns the identifiers that are followed by parameters and a body.
func functionPlaces(text []byte) []Token {
	var places []Token
	for s := (Scanner{Text: text}); ; {
		t := s.Scan()
		if t.Kind == End {
			return places
		}
		if t.Kind == Ident && !ControlWords[string(text[t.Start:t.End])] && CallBehind(text, t.End).Body {
			places = append(places, t)
		}
	}
}

// ControlWords are the keywords that are followed by brackets, and then perhaps a brace.
var ControlWords = map[string]bool{"if": true, "for": true, "while": true, "switch": true}

func sortedSet(list []string) []string {
	slices.Sort(list)
	return slices.Clip(slices.Compact(list))
}

// MacroNames returns the arguments of the macros that write the names of functions with external linkage which a file
// defines, sorted:
//
//	int API(Reset)(struct list *l) { ... } // "Reset", a part of the function's name
func MacroNames(text []byte) []string {
	var list []string
	var last [4]Token // the latest tokens, the newest last
	depth, statement := 0, 0
	for s := (Scanner{Text: text}); ; {
		t := s.Code()
		if t.Kind == End {
			return sortedSet(list)
		}
		copy(last[:], last[1:])
		last[3] = t
		switch word := t.Of(text); {
		case word == "#" && StartsLine(text, t.Start):
			s.Next = LineEnd(text, t.Start)
			statement = s.Next
		case word == "{":
			depth++
		case word == "}":
			depth = max(depth-1, 0)
			statement = t.End
		case word == ";" && depth == 0:
			statement = t.End
		case word == ")" && depth == 0 && last[0].Kind == Ident && last[1].Of(text) == "(" && last[2].Kind == Ident &&
			CallBehind(text, t.End).Body && external(text[statement:last[0].Start]):
			list = append(list, last[2].Of(text))
		}
	}
}
