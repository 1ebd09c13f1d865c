package diagnostics

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/diagnostics/phrase"
	"github.com/unitproof/unitproof/diagnostics/source"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/language"
)

// AuditFinding is a weakness of the proofs of a project, or a fact about them that a reviewer has to judge.
type AuditFinding struct {
	ID       string          `json:"id"` // free of line numbers
	Kind     found.AuditKind `json:"kind"`
	Severity found.Severity  `json:"severity"`
	Message  string          `json:"message"`
	Proof    string          `json:"proof,omitempty"` // "" if it is about several, or none
	Function string          `json:"function,omitempty"`
	File     string          `json:"file"`
	Line     int             `json:"line"` // 0: of the file as a whole
	Column   int             `json:"column"`
	// Accepted: an [[accept]] rule covers it.
	Accepted     bool   `json:"accepted,omitempty"`
	AcceptReason string `json:"accept_reason,omitempty"`
}

// AuditDocument is the JSON of an audit.
type AuditDocument struct {
	Schema    int            `json:"schema"`
	Tool      string         `json:"tool"`
	Toolchain Toolchain      `json:"toolchain"`
	Proofs    int            `json:"proofs"` // that were looked at
	Findings  []AuditFinding `json:"findings"`
}

// AuditedProof is a proof with data that its result lacks.
type AuditedProof struct {
	Proof
	// Enforced is the function whose contract the proof is about; "" for other proofs.
	Enforced string
	// NotRun: the project has CI files, and none of their commands checks the proof.
	NotRun bool
}

// ClauseDoubt is a doubt about a clause of a specification, found by checking changed texts.
type ClauseDoubt struct {
	Kind         found.AuditKind
	Proof        string
	File         string
	Line, Column int
	Message      string
}

// AuditInput has the proofs of a project, checked with --explain, and data about its files.
type AuditInput struct {
	Proofs []AuditedProof
	// Known are all functions that the project defines, for the names of proofs. Elsewhere has the files of functions
	// beside the files under proof: a proof may replace functions that none compiles.
	Known     map[string]bool
	Elsewhere map[string][]string
	// Sources are the files under proof that are no file of a proof, as they are shown.
	Sources []string
	// Others are the files of other repositories (submodules): their functions need no proof here.
	Others map[string]bool
	// Defined are the functions of Sources that other files can call, and Covered the lines that executions of the
	// proofs reach.
	Defined map[string][]string
	Covered found.Coverage
	// Strengths are the strengths of proofs by name, as far as they were asked for, and MinScore is the least score.
	Strengths map[string]*Strength
	MinScore  float64
	// Doubts are about clauses, and CI is the first CI file of the project, "" if there is none.
	Doubts []ClauseDoubt
	CI     string
	// Accept gives the reason of a rule that accepts a finding.
	Accept func(*AuditFinding) (reason string, accepted bool)
	Read   Sources
}

// auditor collects findings.
type auditor struct {
	AuditInput
	sources *source.Cache
	// reachedIn has the functions that executions enter, by the base name of their file and their name.
	reachedIn map[[2]string]bool
	taken     map[string][]string // see takenIn; by branchKey
	enforced  map[string]bool     // functions whose contracts the proofs are about
	out       []AuditFinding

	// codes, bodiesOf and overrides keep results about files: see code, bodies and overriding.
	codes     map[string]*csource.Source
	bodiesOf  map[string]map[string]body
	overrides map[string]int
}

// Audit asks the questions of a reviewer about each proof, and about all together. The worst findings come first.
func Audit(in AuditInput) []AuditFinding {
	a := &auditor{AuditInput: in, out: []AuditFinding{}}
	a.sources = source.NewCache(func(file string) []byte {
		if in.Read != nil {
			if text := in.Read(file); text != nil {
				return text
			}
		}
		return []byte{} // a file that is gone has no text
	})
	proved := map[string]found.Verdict{}
	a.enforced = map[string]bool{}
	for i := range in.Proofs {
		if p := &in.Proofs[i]; p.Enforced != "" {
			proved[p.Enforced], a.enforced[p.Enforced] = p.Verdict, true
		}
	}
	for i := range in.Proofs {
		p := &in.Proofs[i]
		a.verdict(p)
		a.undone(p)
		a.contracts(p, proved)
		a.assertions(p)
		a.namesake(p)
		a.inputs(p)
		switch s := in.Strengths[p.Name]; {
		case s == nil:
		case s.Verdict != found.Proved:
			a.add(found.AuditWeak, about(p, "the strength of %s is not known: %s", p.Name, s.Reason))
		case s.Score < in.MinScore:
			a.add(found.AuditWeak, about(p, "%s: %s; the minimum is %v %%", p.Name, s.Summary(), in.MinScore))
		}
	}
	for _, d := range in.Doubts {
		a.add(d.Kind, AuditFinding{Proof: d.Proof, File: d.File, Line: d.Line, Column: d.Column, Message: d.Message})
	}
	a.running()
	branches := UniteBranches(a.branches())
	a.readBodies()
	a.taken = takenIn(branches)
	for _, file := range in.Sources {
		if a.overriding(file) > 0 || a.Others[file] {
			continue // code of the proofs, or another project
		}
		a.verifierOnly(file)
		a.unreached(file)
		a.untaken(file, branches[file])
	}
	a.finish()
	return a.out
}

func (a *auditor) add(kind found.AuditKind, f AuditFinding) {
	f.Kind, f.Severity = kind, kind.Info().Severity
	a.out = append(a.out, f)
}

// finish orders the findings, and gives each its id.
func (a *auditor) finish() {
	slices.SortStableFunc(a.out, func(x, y AuditFinding) int {
		return cmp.Or(cmp.Compare(severityRank(x.Severity), severityRank(y.Severity)), cmp.Compare(x.File, y.File),
			cmp.Compare(x.Line, y.Line), cmp.Compare(x.Column, y.Column), cmp.Compare(x.Kind, y.Kind),
			cmp.Compare(x.Message, y.Message))
	})
	a.out = slices.CompactFunc(a.out, func(x, y AuditFinding) bool { return x == y })
	seen := map[string]int{}
	for i := range a.out {
		f := &a.out[i]
		text := ""
		if f.Line > 0 {
			text = strings.TrimSpace(a.sources.File(f.File).CodeLine(f.Line))
		}
		key := fmt.Sprintf("%q %q %q %q %q", f.Kind, f.Proof, f.Function, f.File, text)
		seen[key]++
		sum := sha256.Sum256(fmt.Appendf(nil, "audit %s %d", key, seen[key]))
		f.ID = hex.EncodeToString(sum[:6])
		if a.Accept != nil {
			f.AcceptReason, f.Accepted = a.Accept(f)
		}
	}
}

func severityRank(s found.Severity) int {
	return slices.Index([]found.Severity{found.High, found.Medium, found.Low}, s)
}

// about is a finding of a proof as a whole.
func about(p *AuditedProof, format string, args ...any) AuditFinding {
	return AuditFinding{Proof: p.Name, Function: p.Entry, File: p.File, Message: fmt.Sprintf(format, args...)}
}

// verdict reports a proof that is not proved, or none of whose executions reaches its end.
func (a *auditor) verdict(p *AuditedProof) {
	expected := p.Options.Expect == p.Verdict && p.Verdict != found.Proved
	switch {
	case expected:
	case p.Verdict == found.Vacuous && p.Why.Why == found.NoEnd:
		a.add(found.AuditNoExecution, about(p, "no execution of %s reaches its end, so its proved findings check nothing",
			p.Name))
	case p.Verdict != found.Proved && p.Verdict != found.Vacuous:
		text := fmt.Sprintf("%s is %s", p.Name, p.Verdict)
		if p.Reason != "" {
			text += ": " + phrase.OneLine(p.Reason)
		}
		a.add(found.AuditNotProved, about(p, "%s", text))
	}
	for i := range p.Obligations {
		if f := &p.Obligations[i]; f.Verdict == found.Vacuous && !expected {
			a.add(found.AuditVacuous, placed(p, f, "%s", f.Message))
		}
	}
}

// placed is a finding at the place of a finding of a proof.
func placed(p *AuditedProof, f *Finding, format string, args ...any) AuditFinding {
	return AuditFinding{Proof: p.Name, Function: f.Function, File: f.File, Line: f.Line, Column: f.Column,
		Message: fmt.Sprintf(format, args...)}
}

// undone reports the checks that the result lacks, and the parts of the program that it replaces.
func (a *auditor) undone(p *AuditedProof) {
	for _, code := range p.NotDone {
		switch code {
		case KindOff:
			for _, kind := range found.Kinds() {
				if on, set := p.Options.Checks[string(kind)]; set && !on && !kind.Info().Off {
					a.add(found.AuditKindOff, about(p, "%s is switched off for %s", kind, p.Name))
				}
			}
		case VacuityOff:
			a.add(found.AuditVacuityOff, about(p, "reachability of the assertions of %s is not checked", p.Name))
		}
	}
	a.replaced(p)
	for i := range p.Assumptions {
		x := &p.Assumptions[i]
		f := AuditFinding{Proof: p.Name, Function: x.Is.Name, File: cmp.Or(x.File, p.File), Line: x.Line, Message: x.Message}
		switch {
		case x.Is.What == found.StandIn:
			a.add(found.AuditReplaced, f)
		case x.Kind == found.MissingBody.Kind():
			a.add(found.AuditMissingBody, f)
		case x.Is.What == found.NoAssert:
			a.add(found.AuditNoAssert, f)
		}
	}
	for i := range p.Obligations {
		f := &p.Obligations[i]
		switch {
		case f.Accepted:
			a.add(found.AuditAccepted, placed(p, f, "accepted: [%s] %s", f.Kind, f.Message))
		case f.Kind == found.Unwinding && f.Verdict == found.Bounded:
			a.add(found.AuditBound, placed(p, f, "%s", f.Message))
		}
	}
}

// contracts reports contracts that replace calls and are proved by none of the proofs.
func (a *auditor) contracts(p *AuditedProof, proved map[string]found.Verdict) {
	for i := range p.Assumptions {
		x := &p.Assumptions[i]
		if x.Is.What != found.Contract {
			continue
		}
		f := AuditFinding{Proof: p.Name, Function: x.Is.Name, File: cmp.Or(x.File, p.File), Line: x.Line}
		switch verdict, is := proved[x.Is.Name]; {
		case !is:
			f.Message = fmt.Sprintf("calls of %s are replaced by its contract, which none of these proofs checks", x.Is.Name)
		case verdict != found.Proved:
			f.Message = fmt.Sprintf("calls of %s are replaced by its contract, whose own proof is %s", x.Is.Name, verdict)
		default:
			continue
		}
		a.add(found.AuditUnproved, f)
	}
}

// assertions reports assertions that check nothing.
func (a *auditor) assertions(p *AuditedProof) {
	for i := range p.Obligations {
		f := &p.Obligations[i]
		if f.Kind != found.Assertion && f.Kind != found.Postcondition || f.Verdict != found.Proved {
			continue
		}
		condition, trivial := "", false
		if c, ok := a.sources.File(f.File).Condition(f.Line, f.Column); ok {
			condition, trivial = c.Text(), f.Kind == found.Assertion && !usesInputs(f) && sameSides(c.Expr)
		}
		assumed, repeats := a.repeats(p, f)
		switch {
		case f.Independent == WrittenTrue || trivial:
			a.add(found.AuditTautology, placed(p, f, "%s is always true, whatever its operands are",
				phrase.Quote(condition)))
		case repeats:
			a.add(found.AuditRepeats, placed(p, f, "%s repeats the assumption at line %d; nothing changes in between",
				phrase.Quote(condition), assumed))
		case f.Independent == WithoutInput && f.Kind == found.Assertion && p.File == f.File:
			a.add(found.AuditNoInput, placed(p, f, "%s holds for all inputs, even without the "+
				"assumptions", phrase.Quote(condition)))
		}
	}
}

// usesInputs reports whether a finding is known to depend on inputs, as a comparison of a NaN with itself does.
func usesInputs(f *Finding) bool { return f.InputsUsed != nil && len(*f.InputsUsed) > 0 }

// sameSides reports whether a condition is true since its sides are the same: "x == x", or "x == y || x != y".
// Calls may return another value each time.
func sameSides(condition []byte) bool {
	tokens := tokensOf(condition)
	for i := range tokens {
		if i > 0 && tokens[i] == "(" && csource.IsIdentByte(tokens[i-1][len(tokens[i-1])-1]) || tokens[i] == "++" ||
			tokens[i] == "--" {
			return false
		}
	}
	sides := func(text []byte, operator string) []string {
		parts, _ := csource.Split(text, operator)
		if len(parts) != 2 {
			return nil
		}
		return []string{strings.Join(tokensOf(parts[0]), " "), strings.Join(tokensOf(parts[1]), " ")}
	}
	if parts, _ := csource.Split(condition, "||", "&&", "?"); len(parts) == 1 {
		for _, operator := range []string{"==", "<=", ">="} {
			if s := sides(condition, operator); s != nil && s[0] == s[1] {
				return true
			}
		}
		return false
	}
	parts, _ := csource.Split(condition, "||")
	if len(parts) > 1 && slices.ContainsFunc(parts, sameSides) {
		return true
	}
	if len(parts) == 2 {
		equal, other := sides(parts[0], "=="), sides(parts[1], "!=")
		return equal != nil && slices.Equal(equal, other)
	}
	return false
}

// repeats reports whether an assertion repeats an assumption before it in the same function, word for word. The code
// between the two must not be able to change the variables of the condition. It returns the line of the assumption.
func (a *auditor) repeats(p *AuditedProof, f *Finding) (line int, ok bool) {
	if f.Kind != found.Assertion {
		return 0, false
	}
	src := a.sources.File(f.File)
	text := src.Bytes()
	end, ok := src.Offset(f.Line, f.Column)
	if !ok {
		return 0, false
	}
	c, ok := src.Condition(f.Line, f.Column)
	if !ok || len(c.Expr) == 0 {
		return 0, false
	}
	want := tokensOf(c.Expr)
	around, ok := a.code(f.File).FunctionAround(end)
	if !ok {
		return 0, false
	}
	for s := (csource.Scanner{Text: text[:end], Next: around.Start}); ; {
		t := s.Code()
		if t.Kind == csource.End {
			return 0, false
		}
		if t.Kind != csource.Ident || language.Lookup(t.Of(text)).Role != language.Assume {
			continue
		}
		at, column := src.Position(t.Start)
		assumed, known := src.Condition(at, column)
		call, is := csource.CallAt(text, t.Start)
		if known && is && slices.Contains(conjuncts(assumed.Expr), strings.Join(want, " ")) && call.End <= end &&
			straight(text[call.End:end], want) {
			return at, true
		}
	}
}

// tokensOf are the tokens of an expression without the parentheses around all of it.
func tokensOf(text []byte) (list []string) {
	text = bytes.TrimSpace(text)
	for len(text) > 1 && text[0] == '(' {
		if end, ok := csource.Closing(text, 0); !ok || end != len(text)-1 {
			break
		}
		text = bytes.TrimSpace(text[1 : len(text)-1])
	}
	for s := (csource.Scanner{Text: text}); ; {
		t := s.Code()
		if t.Kind == csource.End {
			return list
		}
		list = append(list, t.Of(text))
	}
}

// conjuncts are the parts of a condition, each as its tokens with blanks between them, and the whole.
func conjuncts(text []byte) []string {
	list := []string{strings.Join(tokensOf(text), " ")}
	parts, _ := csource.Split(bytes.Trim(text, " \t\n"), "&&")
	for _, part := range parts {
		list = append(list, strings.Join(tokensOf(part), " "))
	}
	return list
}

// Tokens is a text as its tokens with blanks between them, without the parentheses around all of it.
func Tokens(text []byte) string { return strings.Join(tokensOf(text), " ") }

// Conjuncts are the parts of a condition that are joined by &&, and the whole, each as its tokens.
func Conjuncts(text []byte) []string { return conjuncts(text) }

// straight reports whether a text between an assumption and an assertion is certain to change nothing that a condition
// is about: no jump, no call but of names of the proof language, no assignment to a name of the condition or through a
// pointer.
func straight(text []byte, condition []string) bool {
	var before, earlier csource.Token
	depth, loop := 0, false
	for s := (csource.Scanner{Text: text}); ; {
		t := s.Code()
		word := t.Of(text)
		switch {
		case t.Kind == csource.End:
			return depth == 0 || !loop // an assertion in a loop is reached from behind it, too
		case t.Kind == csource.Ident:
			loop = loop || word == "for" || word == "while" || word == "do"
			if word == "goto" || word == "asm" || word == "__asm__" || strings.HasSuffix(word, "havoc") {
				return false
			}
		case word == "{":
			depth++
		case word == "}":
			depth--
		case word == "(" && before.Kind == csource.Ident:
			name := before.Of(text)
			entry := language.Lookup(name)
			if !csource.IsKeyword(name) && entry.Role != language.Assume && entry.Role != language.Assert &&
				entry.Role != language.Nondet {
				return false
			}
		case word == "++" || word == "--" || word != "==" && word != "<=" && word != ">=" && word != "!=" &&
			strings.HasSuffix(word, "="):
			name := before.Of(text)
			if before.Kind != csource.Ident || slices.Contains(condition, name) || word == "++" || word == "--" ||
				slices.Contains([]string{"*", "->", "."}, earlier.Of(text)) {
				return false
			}
		}
		if depth < 0 {
			return false // the assumption is in an inner block
		}
		earlier, before = before, t
	}
}
