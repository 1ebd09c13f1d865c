package lsp

import (
	"fmt"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/editing"
	"github.com/unitproof/unitproof/pipeline/project"
)

// offerOwnStub offers a body for a function that the user declares and no linked file defines. The source then states
// what the proof assumes about it.
func (a *actions) offerOwnStub(p *editing.ProofState, name, kind string) {
	t := a.view.text(p.Proof.File)
	if t == nil || project.IsForeign(p.Proof.File) {
		return
	}
	entry, ok := t.source.Function(p.Proof.Entry)
	if !ok {
		return
	}
	declared := a.view.declarationOf(p, name)
	text := ownStub(name, declared)
	if text == "" {
		return
	}
	start := strings.LastIndexByte(string(t.data[:entry.Start]), '\n') + 1
	a.add(codeAction{Title: "Write a stub of " + name, Kind: protocol.QuickFix, Diagnostics: a.diagnosticsOf(kind),
		Edit: &workspaceEdit{Changes: map[protocol.DocumentURI][]protocol.TextEdit{
			a.view.uri(p.Proof.File): {{Range: t.span(start, start, a.view.encoding), NewText: text}}}}})
}

// declarationOf returns the declaration of a function in the proof's file, or else in a file below the root that the
// proof depends on.
func (v *view) declarationOf(p *editing.ProofState, name string) []string {
	var files []string
	for f := range p.Rests {
		if f != p.Proof.File && paths.Within(string(p.Root), f) {
			files = append(files, f)
		}
	}
	slices.Sort(files)
	for _, f := range append([]string{p.Proof.File}, files...) {
		if t := v.text(f); t != nil {
			if words := declaration(t.data, name); words != nil {
				return words
			}
		}
	}
	return nil
}

// declaration returns the tokens of the first declaration of a function in a text, without the semicolon; nil if
// there is none.
func declaration(text []byte, name string) []string {
	var words []string // since the end of the last declaration
	depth := 0         // of brackets; inside braces a function is called, not declared
	for s := (csource.Scanner{Text: text}); ; {
		t := s.Code()
		if t.Kind == csource.End {
			return nil
		}
		w := t.Of(text)
		switch {
		case w == "#": // a preprocessor line
			s.Next = csource.LineEnd(text, t.Start)
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

// ownStub returns a definition for a declaration: its result is arbitrary, and it writes nothing. It returns "" if it
// cannot parse the declaration.
func ownStub(name string, words []string) string {
	at := slices.Index(words, name)
	if at < 1 || at+2 >= len(words) {
		return ""
	}
	result := slices.DeleteFunc(slices.Clone(words[:at]), func(w string) bool { return w == "extern" || w == "inline" })
	if slices.ContainsFunc(words, func(w string) bool { return w == "__attribute__" || w == "[" }) ||
		slices.Contains(result, "(") || slices.Contains(words[at+2:len(words)-1], "(") {
		return "" // in a function pointer, the name is not at the end
	}
	var params []string
	var one []string
	for _, w := range append(slices.Clone(words[at+2:len(words)-1]), ",") {
		if w != "," {
			one = append(one, w)
			continue
		}
		if len(one) > 0 {
			params = append(params, parameter(one, len(params)))
		}
		one = nil
	}
	if len(params) == 0 {
		params = []string{"void"}
	}
	typ := joined(result)
	head := fmt.Sprintf("%s%s(%s)", spaced(typ), name, strings.Join(params, ", "))
	switch plain := strings.TrimPrefix(typ, "static "); {
	case plain == "void":
		return fmt.Sprintf("/* Stub: say here what %s writes. */\n%s {}\n\n", name, head)
	case strings.HasSuffix(plain, "*"): // the user has to define the pointed-to object
		return fmt.Sprintf("/* Stub: say here what %s returns, and what it writes. */\n%s {\n  return 0;\n}\n\n", name, head)
	default:
		return fmt.Sprintf("/* Stub: say with assume() what %s may return, and what it writes. */\n%s {\n  %s arbitrary;\n"+
			"  memhavoc(&arbitrary, sizeof arbitrary);\n  return arbitrary;\n}\n\n", name, head, plain)
	}
}

// parameter returns a parameter with a name, which a definition requires.
func parameter(words []string, i int) string {
	last := words[len(words)-1]
	switch {
	case len(words) == 1 && (last == "void" || last == "..."), last == "...":
		return joined(words)
	case isWord(last[0]) && !typeWords[last] && slices.ContainsFunc(words[:len(words)-1], func(w string) bool {
		return w != "const" && w != "volatile" && w != "struct" && w != "union" && w != "enum"
	}):
		return joined(words) // int n, const char *what
	}
	return fmt.Sprintf("%s%c", spaced(joined(words)), 'a'+i%26)
}

// typeWords can end a type without a name.
var typeWords = map[string]bool{"int": true, "char": true, "short": true, "long": true, "unsigned": true,
	"signed": true, "float": true, "double": true, "_Bool": true, "bool": true, "const": true, "restrict": true,
	"volatile": true}

// joined returns the words of a declaration in conventional layout.
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

// spaced returns a type with the space before a name.
func spaced(typ string) string {
	if strings.HasSuffix(typ, "*") {
		return typ
	}
	return typ + " "
}
