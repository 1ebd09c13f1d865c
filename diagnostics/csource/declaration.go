package csource

import "slices"

// Declaration are the tokens of the first declaration of a function in a text, without its semicolon; nil for none.
func Declaration(text []byte, name string) []string {
	var words []string // since the last end of a declaration
	depth := 0         // of brackets; inside of braces, a function is called and not declared
	for s := (Scanner{Text: text}); ; {
		t := s.Code()
		if t.Kind == End {
			return nil
		}
		w := t.Of(text)
		switch {
		case w == "#": // a line of the preprocessor
			s.Next = LineEnd(text, t.Start)
		case w == "{":
			depth, words = depth+1, nil
		case w == "}":
			depth, words = max(depth-1, 0), nil
		case depth > 0:
		case w == ";":
			if i := slices.Index(words, name); i > 0 && i+1 < len(words) && words[i+1] == "(" && words[len(words)-1] == ")" &&
				!slices.Contains(words, "typedef") && !slices.Contains(words, "=") {
				return words
			}
			words = nil
		default:
			words = append(words, w)
		}
	}
}
