package diagnostics

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/diagnostics/phrase"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/language"
)

// body is a function's body in figures, for the comparison with another one.
type body struct {
	file   string
	line   int
	lines  int // with code
	loops  int
	calls  []string
	writes bool // to memory that its parameters or globals reach
	tokens string
}

// replaced reports the functions that a file defines in place of those of the program, with the differences. Functions
// that the program lacks replace nothing.
func (a *auditor) replaced(p *AuditedProof) {
	for _, file := range p.Options.Override {
		stubs := a.bodies(file)
		for _, name := range sortedKeys(stubs) {
			stub := stubs[name]
			real, at, ok := a.definition(name)
			if !ok || language.IsStandard(name) && a.besideOverride(at) {
				continue // a function that the program lacks
			}
			f := AuditFinding{Proof: p.Name, Function: name, File: file, Line: stub.line, Column: 1,
				Message: fmt.Sprintf("for %s, %s of %s is replaced: %s", p.Name, name, at, difference(real, stub))}
			if n := a.overriding(file) - 1; n > 0 { // said once
				f.Message += fmt.Sprintf(" (and for %s more)", phrase.Count(n, "proof"))
			}
			if !slices.ContainsFunc(a.out, func(o AuditFinding) bool {
				return o.Kind == found.AuditReplaced && o.File == f.File && o.Line == f.Line && o.Function == f.Function
			}) {
				a.add(found.AuditReplaced, f)
			}
		}
		if len(stubs) == 0 { // its definitions are no functions, or hidden in macros
			a.add(found.AuditReplaced, about(p, "for %s, definitions of the program are replaced by those of %s", p.Name, file))
		}
	}
	for _, name := range p.Options.RemoveBodies {
		if local, is := strings.CutPrefix(name, "__CPROVER_file_local_"); is { // a static function, with its file
			_, name, _ = strings.Cut(local, "_c_")
		}
		if real, at, ok := a.definition(name); ok {
			a.add(found.AuditReplaced, about(p, "for %s, the body of %s is left out: %s of %s", p.Name, name, real.describe(),
				at))
		}
	}
}

// overriding counts the proofs for which a file overrides definitions.
func (a *auditor) overriding(file string) int {
	if a.overrides == nil {
		a.overrides = map[string]int{}
		for i := range a.Proofs {
			list := slices.Clone(a.Proofs[i].Options.Override)
			slices.Sort(list)
			for _, o := range slices.Compact(list) {
				a.overrides[o]++
			}
		}
	}
	return a.overrides[file]
}

// besideOverride reports whether a file is in a folder with overriding files. Such a file with a memmove is another
// stub of the proofs, and not the program's library.
func (a *auditor) besideOverride(file string) bool {
	a.overriding(file)
	for o := range a.overrides {
		if path.Dir(o) == path.Dir(file) {
			return true
		}
	}
	return false
}

func sortedKeys(m map[string]body) (list []string) {
	for k := range m {
		list = append(list, k)
	}
	slices.Sort(list)
	return list
}

// definition is the body of a function in the files under proof, else in others of the project, outside of those that
// override others.
func (a *auditor) definition(name string) (b body, file string, ok bool) {
	for _, file := range slices.Concat(a.Sources, a.Elsewhere[name]) {
		if a.overriding(file) > 0 {
			continue
		}
		if b, ok := a.bodies(file)[name]; ok {
			return b, file, true
		}
	}
	return body{}, "", false
}

// code returns a file, whose functions are read once.
func (a *auditor) code(file string) *csource.Source {
	if a.codes == nil {
		a.codes = map[string]*csource.Source{}
	}
	c := a.codes[file]
	if c == nil {
		c = csource.NewSource(a.sources.File(file).Bytes())
		a.codes[file] = c
	}
	return c
}

// bodies are the functions of a file.
func (a *auditor) bodies(file string) map[string]body {
	if out, known := a.bodiesOf[file]; known {
		return out
	}
	if a.bodiesOf == nil {
		a.bodiesOf = map[string]map[string]body{}
	}
	src := a.sources.File(file)
	text := src.Bytes()
	out := map[string]body{}
	a.bodiesOf[file] = out
	for f := range a.code(file).Functions() {
		if f.Body <= 0 || f.End > len(text) || f.Body >= f.End {
			continue
		}
		b := body{file: file}
		b.line, _ = src.Position(f.NameStart)
		first, _ := src.Position(f.Body)
		last, _ := src.Position(f.End)
		for n := first; n <= last; n++ {
			if line := strings.Trim(src.CodeLine(n), " \t{}"); line != "" {
				b.lines++
			}
		}
		b.read(text[f.Body:f.End])
		out[f.Name] = b
	}
	return out
}

// read counts the loops, calls and writes of a text.
func (b *body) read(text []byte) {
	var before, earlier csource.Token
	var tokens []string
	for s := (csource.Scanner{Text: text}); ; {
		t := s.Code()
		if t.Kind == csource.End {
			break
		}
		word := t.Of(text)
		tokens = append(tokens, word)
		switch {
		case word == "for" || word == "while":
			b.loops++
		case word == "(" && before.Kind == csource.Ident && !csource.IsKeyword(before.Of(text)):
			if name := before.Of(text); !slices.Contains(b.calls, name) {
				b.calls = append(b.calls, name)
			}
		case word != "==" && word != "<=" && word != ">=" && word != "!=" && strings.HasSuffix(word, "=") || word == "++":
			at := earlier.Of(text)
			b.writes = b.writes || before.Of(text) == "]" || slices.Contains([]string{"->", ".", "*"}, at)
		}
		earlier, before = before, t
	}
	b.tokens = strings.Join(tokens, " ")
}

func (b *body) describe() string {
	text := phrase.Count(b.lines, "line")
	if b.loops > 0 {
		text += ", " + phrase.Count(b.loops, "loop")
	}
	if len(b.calls) > 0 {
		text += ", calls of " + strings.Join(b.calls[:min(len(b.calls), 5)], ", ")
	}
	if b.writes {
		text += ", writes to memory"
	}
	return text
}

// difference describes what a replacement lacks, and what it adds.
func difference(real, stub body) string {
	if real.tokens == stub.tokens {
		return "by the same text"
	}
	text := fmt.Sprintf("%s become %s", phrase.Count(real.lines, "line"), phrase.Count(stub.lines, "line"))
	var lost, added []string
	missing := func(of, in *body) (list []string) {
		for _, c := range of.calls {
			if !slices.Contains(in.calls, c) {
				list = append(list, c)
			}
		}
		return list
	}
	if real.loops > 0 && stub.loops == 0 {
		lost = append(lost, phrase.Count(real.loops, "loop"))
	}
	if list := missing(&real, &stub); len(list) > 0 {
		lost = append(lost, "the calls of "+strings.Join(list[:min(len(list), 5)], ", "))
	}
	if real.writes && !stub.writes {
		lost = append(lost, "all writes to memory")
	}
	if list := missing(&stub, &real); len(list) > 0 {
		added = append(added, "calls of "+strings.Join(list[:min(len(list), 5)], ", "))
	}
	if stub.writes && !real.writes {
		added = append(added, "writes to memory")
	}
	if len(lost) > 0 {
		text += ", without " + strings.Join(lost, ", ")
	}
	if len(added) > 0 {
		text += ", with " + strings.Join(added, ", ")
	}
	return text
}
