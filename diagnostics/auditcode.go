package diagnostics

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/diagnostics/phrase"
	"github.com/unitproof/unitproof/diagnostics/source"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/language"
)

// inputs reports assumptions that leave one value of an input.
func (a *auditor) inputs(p *AuditedProof) {
	for i := range p.OneValue {
		v := &p.OneValue[i]
		if strings.Contains(v.Text, "NULL") {
			continue // a pointer that an arbitrary flag makes null, as the allocators of kits do
		}
		a.add(found.AuditNarrow, AuditFinding{Proof: p.Name, Function: p.Entry, File: v.File, Line: v.Line, Column: v.Column,
			Message: fmt.Sprintf("with the assumption %s, and those around it, an input has one value: %s",
				phrase.Quote(v.Text), v.Value)})
	}
}

// running reports proofs that no command of CI checks: one by one, or all of the project at once.
func (a *auditor) running() {
	idle := 0
	for i := range a.Proofs {
		if a.Proofs[i].NotRun {
			idle++
		}
	}
	if idle > 1 && idle == len(a.Proofs) && a.CI != "" {
		a.add(found.AuditNotRun, AuditFinding{File: a.CI, Message: fmt.Sprintf("none of the CI files checks any of the %d "+
			"proofs", idle)})
		return
	}
	for i := range a.Proofs {
		if p := &a.Proofs[i]; p.NotRun {
			a.add(found.AuditNotRun, about(p, "no command in the CI files checks %s", p.Name))
		}
	}
}

// branches are the branches of all proofs that were explained.
func (a *auditor) branches() (list []Branch) {
	for i := range a.Proofs {
		list = append(list, a.Proofs[i].Branches...)
	}
	return list
}

// branchKey identifies a branch among the copies of a file.
func branchKey(file string, b *Branch) string {
	return fmt.Sprintf("%s %s %s %d", path.Base(file), b.Function, b.Text, b.Nth)
}

// takenIn has the files in which a branch is taken in all ways.
func takenIn(branches map[string]LineBranches) map[string][]string {
	out := map[string][]string{}
	for file, lines := range branches {
		for _, list := range lines {
			for i := range list {
				if list[i].Entered && len(list[i].Dead()) == 0 {
					key := branchKey(file, &list[i])
					out[key] = append(out[key], file)
				}
			}
		}
	}
	return out
}

// takenInCopy reports whether a copy of a file takes all ways of a branch.
func (a *auditor) takenInCopy(file string, b *Branch) bool {
	return slices.ContainsFunc(a.taken[branchKey(file, b)], func(in string) bool { return in != file })
}

// untaken reports the functions of a file that some proof enters, and in which no proof takes all ways of a branch.
func (a *auditor) untaken(file string, lines LineBranches) {
	byFunction := map[string][]Branch{}
	var names []string
	for _, n := range slices.Sorted(maps.Keys(lines)) {
		for _, b := range lines[n] {
			if b.Entered && !a.takenInCopy(file, &b) && b.Text != "" && b.DeadSentence() != "" && len(b.Dead()) < len(b.Ways) {
				if byFunction[b.Function] == nil {
					names = append(names, b.Function)
				}
				byFunction[b.Function] = append(byFunction[b.Function], b)
			}
		}
	}
	for _, name := range names {
		list := byFunction[name]
		text := fmt.Sprintf("none of these proofs reaches all of %s: %s", name, list[0].DeadSentence())
		if more := len(list) - 1; more > 0 {
			text += fmt.Sprintf(" (line %d), and %d more", list[0].Line, more)
		}
		a.add(found.AuditUnreached, AuditFinding{Function: name, File: file, Line: list[0].Line, Column: list[0].Column,
			Message: text})
	}
}

// namesake reports a proof that is named after a function and does not mention it.
func (a *auditor) namesake(p *AuditedProof) {
	if p.Enforced != "" {
		a.otherHarness(p)
		return
	} else if p.Verdict == found.Error {
		return
	}
	name := ""
	for _, of := range []string{p.Entry, p.Name, strings.TrimSuffix(path.Base(p.File), path.Ext(p.File))} {
		bare := strings.TrimPrefix(strings.TrimSuffix(strings.TrimSuffix(of, "_harness"), "_proof"), "proof_")
		if bare != of && a.Known[bare] {
			name = bare
			break
		}
	}
	if name == "" {
		return
	}
	text := a.sources.File(p.File).Bytes()
	for s := (csource.Scanner{Text: text}); ; {
		switch t := s.Code(); {
		case t.Kind == csource.End:
			a.add(found.AuditOtherCall, about(p, "%s is named after %s, but its file never mentions it", p.Name, name))
			return
		case t.Kind == csource.Ident && t.Of(text) == name:
			return
		}
	}
}

// otherHarness reports a proof of a contract whose file has harnesses that do not mention the function. A function
// whose name only a macro writes is not looked at: the harness writes the macro.
func (a *auditor) otherHarness(p *AuditedProof) {
	src := a.sources.File(p.File)
	text := src.Bytes()
	harness, line := "", 0
	for f := range a.code(p.File).Functions() {
		if f.Name == p.Enforced || !isHarness(f.Name) {
			continue
		}
		for s := (csource.Scanner{Text: text[:f.End], Next: f.NameEnd}); ; {
			t := s.Code()
			if t.Kind == csource.End {
				break
			}
			if t.Kind == csource.Ident && t.Of(text) == p.Enforced {
				return
			}
		}
		if harness == "" {
			harness = f.Name
			line, _ = src.Position(f.NameStart)
		}
	}
	if harness != "" && a.Known[p.Enforced] && !slices.ContainsFunc(a.Proofs, func(o AuditedProof) bool {
		return o.Enforced == "" && o.File == p.File
	}) {
		a.add(found.AuditOtherCall, AuditFinding{Proof: p.Name, Function: p.Enforced, File: p.File, Line: line,
			Message: fmt.Sprintf("%s is the proof of the contract of %s, but %s never calls it", p.Name, p.Enforced, harness)})
	}
}

// isHarness reports whether a function is named like an entry.
func isHarness(name string) bool {
	return name == "main" || strings.HasSuffix(name, "_harness") || strings.HasSuffix(name, "_proof") ||
		strings.HasPrefix(name, "proof_") || name == "harness"
}

// readBodies determines the functions that executions enter. Kits copy a file for each proof, so a function is also
// reached if that of a file with the same base name is.
func (a *auditor) readBodies() {
	a.reachedIn = map[[2]string]bool{}
	for _, file := range a.Sources {
		src := a.sources.File(file)
		for f := range a.code(file).Functions() {
			first, _ := src.Position(f.NameStart)
			last, _ := src.Position(f.End)
			for line := first; line <= last; line++ {
				if taken := a.Covered[file][line]; taken == found.TakenBy || taken == found.MaybeTaken {
					a.reachedIn[[2]string{path.Base(file), f.Name}] = true
					break
				}
			}
		}
	}
}

// unreached asks which functions of a file no proof enters. A function whose contract a proof is about has one, even if
// that was not decided.
func (a *auditor) unreached(file string) {
	src := a.sources.File(file)
	for f := range a.code(file).Functions() {
		key := [2]string{path.Base(file), f.Name}
		if !slices.Contains(a.Defined[file], f.Name) || a.reachedIn[key] || a.enforced[f.Name] {
			continue
		}
		a.reachedIn[key] = true // said once, of a copy or of another branch of #if, too
		line, _ := src.Position(f.NameStart)
		a.add(found.AuditNoProof, AuditFinding{Function: f.Name, File: file, Line: line,
			Message: "no execution of these proofs enters " + f.Name})
	}
}

// verifierWords are macros that are defined for verifiers.
var verifierWords = []string{"CBMC", "__CPROVER", "__CPROVER__", "VERIFICATION", "__ESBMC", "__KLEE__", "KLEE",
	"UNITPROOF", "__SEAHORN__", "SEAHORN", "__FRAMAC__", "FRAMA_C"}

// verifierOnly reports code that only verifiers compile, or only other compilers. Declarations and macros are
// no code, such as the macros for contracts.
func (a *auditor) verifierOnly(file string) {
	src := a.sources.File(file)
	for n := 1; n <= src.Lines(); n++ {
		line := strings.TrimSpace(string(src.Line(n)))
		if !strings.HasPrefix(line, "#") {
			continue
		}
		words := strings.FieldsFunc(line, func(r rune) bool { return r > 127 || !csource.IsIdentByte(byte(r)) })
		if len(words) < 2 || !strings.HasPrefix(words[0], "if") && words[0] != "elif" ||
			!slices.ContainsFunc(words[1:], func(w string) bool { return slices.Contains(verifierWords, w) }) {
			continue
		}
		if first, other, has := a.hasCode(src, n+1); has {
			message := "other code is compiled here for a verifier: " + phrase.Quote(line)
			if first != "" && other != "" {
				message += "; " + phrase.Quote(first) + ", else " + phrase.Quote(other)
			} else if first != "" || other != "" {
				message += "; " + phrase.Quote(first+other) + " in one of two cases"
			}
			a.add(found.AuditVerifierOnly, AuditFinding{File: file, Line: n, Column: 1, Message: message})
		}
	}
}

// hasCode reports whether a branch of a conditional, from its line on, has statements, or both define a macro as
// different code. It returns the first statement of each.
func (a *auditor) hasCode(src *source.File, n int) (first, other string, has bool) {
	depth, branch := 0, 0
	code := [2]string{}
	macros := [2]map[string]string{{}, {}}
	for ; n <= src.Lines(); n++ {
		line := strings.TrimSpace(src.CodeLine(n))
		if strings.HasPrefix(line, "#") {
			word := strings.TrimSpace(line[1:])
			define := word
			for strings.HasSuffix(define, "\\") && n < src.Lines() { // a macro of several lines
				n++
				define = strings.TrimSuffix(define, "\\") + " " + strings.TrimSpace(string(src.Line(n)))
			}
			switch {
			case strings.HasPrefix(word, "if"):
				depth++
			case strings.HasPrefix(word, "el") && depth == 0:
				branch = 1
			case strings.HasPrefix(word, "endif"):
				if depth--; depth < 0 {
					for name, text := range macros[0] {
						if code[0]+code[1] == "" && isCode(text) && isCode(macros[1][name]) && text != macros[1][name] {
							return text, macros[1][name], true
						}
					}
					return code[0], code[1], code[0]+code[1] != ""
				}
			case strings.HasPrefix(word, "define"):
				if fields := strings.Fields(define); len(fields) > 2 {
					name, _, _ := strings.Cut(fields[1], "(")
					macros[branch][name] = strings.Join(fields[1:], " ")
				}
			}
			continue
		}
		if strings.ContainsAny(line, "{}") || strings.Contains(line, "=") || strings.HasPrefix(line, "return") {
			if code[branch] == "" {
				code[branch] = line
			}
		}
	}
	return "", "", false
}

// isCode reports whether the text of a macro calls a function that is no word of a verifier: "MOVE(a, b) memcpy(a, b)".
func isCode(macro string) bool {
	name, body, _ := strings.Cut(macro, ")")
	if !strings.Contains(name, "(") {
		return false
	}
	calls := false
	text := []byte(body)
	for s := (csource.Scanner{Text: text}); ; {
		t := s.Code()
		if t.Kind == csource.End {
			return calls
		}
		if t.Kind != csource.Ident {
			continue
		}
		word := t.Of(text)
		if strings.HasPrefix(word, "__CPROVER") || strings.HasPrefix(word, "__attribute") || strings.HasPrefix(word, "_") ||
			slices.Contains([]language.Role{language.Assume, language.Assert, language.Nondet}, language.Lookup(word).Role) {
			return false
		}
		if _, is := csource.CallAt(text, t.Start); is && !csource.IsKeyword(word) {
			calls = true
		}
	}
}
