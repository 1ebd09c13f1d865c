package diagnostics

import (
	"fmt"
	"strings"

	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/diagnostics/phrase"
	"github.com/unitproof/unitproof/diagnostics/source"
	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/language"
)

// messenger writes the sentences of one proof's findings. Sentences have no full stop.
type messenger struct {
	sources *source.Cache
	// loops has the positions of the cut loops by name.
	loops map[string]fileLine
	root  paths.Root
	// says is the text of the current finding's failure, such as a panic's message; see vcgen.Instance.
	says string
}

// fileLine is a line of a file.
type fileLine struct {
	file string
	line int
}

// message returns the sentence of a finding.
func (m *messenger) message(f *Finding, inst *vcgen.Instance) string {
	m.says = inst.Says
	switch f.Verdict {
	case found.Failed:
		return m.failed(f, inst)
	case found.Bounded:
		if f.Kind == found.Unwinding {
			return m.unwinding(f)
		}
		if (f.Why.Cause != nil || phrase.IsInput(f.Loop)) && f.Loop != "" && f.Why.Why == found.HoldsInBounds {
			upTo := m.upTo(f)
			return m.subject(f, "holds "+upTo, upTo+", "+clause(f.Kind)) + "; nothing is known beyond" + phrase.EndedBy(f.Why)
		}
		if f.Why.Why == found.BeyondBounds {
			return m.subject(f, "was not reached within the bounds", "not reached within the bounds") + m.cutBy(f)
		}
		return m.subject(f, "holds within the bounds", "within the bounds, "+clause(f.Kind)) + m.cutBy(f)
	case found.Unknown:
		if f.Behind() {
			return m.subject(f, "was not examined", "not examined") + ": " + f.Reason
		}
		text := m.subject(f, "could not be decided", "could not show that "+clause(f.Kind))
		if f.Reason != "" {
			text += ": " + phrase.OneLine(f.Reason)
		}
		return text
	case found.Vacuous:
		text := m.subject(f, "is never reached", "never reached") + contradiction(f)
		if inst.LeftOut {
			text += ": clang removed it as dead code"
		}
		return text
	case found.Unreached:
		return m.subject(f, "is not reached in this proof", "not reached in this proof") + contradiction(f)
	default:
		if inst.ConstFalse && f.Verdict == found.Proved {
			return m.subject(f, "is never reached", "never reached")
		}
		return m.subject(f, "holds", f.Kind.Info().Holds)
	}
}

// subject returns asserted with the assertion's condition as its subject, or other if the finding is no assertion.
func (m *messenger) subject(f *Finding, asserted, other string) string {
	if f.Kind == found.Assertion {
		if m.says != "" {
			return "the panic " + phrase.Quote(m.says) + " " + strings.Replace(asserted, "holds", "does not happen", 1)
		}
		if c, ok := m.sources.File(f.File).Condition(f.Line, f.Column); ok {
			return phrase.Quote(c.Text()) + " " + asserted
		}
		return "the assertion " + asserted
	}
	return other
}

// clause returns the property that a kind checks, with a subject: "it does not overflow".
func clause(k found.Kind) string {
	info := k.Info()
	if info.Predicate {
		return "it " + info.Holds
	}
	return info.Holds
}

func (m *messenger) failed(f *Finding, inst *vcgen.Instance) string {
	cex := inst.Counterexample
	if f.Kind == found.Assertion && inst.Says == "" {
		if c, ok := m.sources.File(f.File).Condition(f.Line, f.Column); ok {
			var text string
			text, f.Condition, f.Values = m.assertionFails(c, inst)
			if why := m.denial(cex, f.File); why != "" {
				text += "; " + why
			}
			return text
		}
	}
	if cex == nil || strings.TrimSpace(cex.Message) == "" {
		return f.Kind.Info().Fails
	}
	text := strings.TrimSuffix(phrase.OneLine(relativeText(m.root, cex.Message)), ".")
	behind := said{names: cex.Said}
	if e := cex.Expression; e != "" {
		if src, ok := m.sources.File(f.File).Operation(f.Line, f.Column); ok {
			text, behind.expression = strings.Replace(text, e, phrase.Quote(src), 1), src
		}
	}
	if values := m.values(cex.Operands, behind, m.root, maxSaid); values != "" {
		text += ": " + values
	}
	if n := len(f.CallPath); n > 0 && language.Lookup(f.Function).Callers {
		caller := f.CallPath[n-1]
		text = fmt.Sprintf("in %s, called at %s: %s", phrase.Quote(f.Function),
			phrase.Where(f.File, caller.File, caller.Line), text)
	}
	return text
}

// maxSaid is the largest number of operands in a sentence.
const maxSaid = 6

// assertionFails returns the sentence for a false assertion. condition and values are the condition and the operands
// that it was computed from, if known.
func (m *messenger) assertionFails(c source.Condition, inst *vcgen.Instance) (text, condition, values string) {
	var vars []found.Variable
	var ops []found.Operand
	if cex := inst.Counterexample; cex != nil {
		vars, ops = cex.Vars, cex.Operands
	}
	switch expr := source.Code(c.Expr); {
	case inst.ConstFalse || c.Constant():
		text = phrase.Quote(c.Whole) + " is reached"
	case expr == "":
		// An unknown macro: its argument may have to be true or false.
		text, values = phrase.Quote(c.Whole)+" fails", operandValues([]byte(c.Whole), vars)
		if len(ops) > 0 {
			values = m.values(ops, said{expression: c.Whole}, m.root, maxSaid)
		}
	default:
		condition = phrase.Shorten(expr, phrase.MaxQuote)
		text, values = phrase.Quote(expr)+" is false", operandValues(c.Expr, vars)
		if len(ops) > 0 {
			values = m.values(ops, said{condition: expr, expression: expr}, m.root, maxSaid)
		}
		values = join(values, m.constantSide(inst.Counterexample, ops))
		// "`x` is false: x = 0" would be redundant.
		if values == expr+" = 0" || values == expr+" = false" {
			return text, condition, values
		}
	}
	if values != "" {
		text += ": " + values
	}
	return text, condition, values
}

// related returns the places that the message of a counterexample mentions.
func (m *messenger) related(cex *found.Counterexample) []Related {
	var out []Related
	for _, at := range cex.Mentions {
		r := Related{File: m.root.Show(at.Pos.File), Line: at.Pos.Line}
		switch at.What {
		case found.Made:
			r.Text = at.Name + " here"
		case found.Freed:
			r.Text = "freed here"
		case found.OutOfScope:
			r.Text = "its lifetime ended here"
		case found.Lost:
			r.Text = "the last pointer to it is lost here"
		}
		out = append(out, r)
	}
	return out
}

// cutBy names the loop whose bound makes a finding bounded.
func (m *messenger) cutBy(f *Finding) string {
	if f.Loop == "" {
		if f.Reason != "" && f.Why.Why != found.BeyondBounds {
			return "; " + phrase.OneLine(f.Reason)
		}
		return ""
	}
	at := ""
	if p, ok := m.loops[f.Loop]; ok {
		at = " (" + phrase.Where(f.File, p.file, p.line) + ")"
	}
	return "; " + phrase.Cut(f.Loop, at, f.Bound)
}

// upTo returns the bound to which a loop or recursion was unrolled.
func (m *messenger) upTo(f *Finding) string {
	at := ""
	if p, ok := m.loops[f.Loop]; ok {
		at = " (" + phrase.Where(f.File, p.file, p.line) + ")"
	}
	if phrase.IsInput(f.Loop) {
		return "for all inputs up to " + phrase.Count(f.Bound, "byte")
	}
	if phrase.IsLoop(f.Loop) {
		return "up to " + phrase.Count(f.Bound, "iteration") + " of loop " + phrase.Quote(f.Loop) + at
	}
	return fmt.Sprintf("up to depth %d of the recursion of %s%s", f.Bound, phrase.Quote(f.Loop), at)
}

func (m *messenger) unwinding(f *Finding) string {
	if f.Loop == "" {
		if f.Reason != "" {
			return phrase.OneLine(f.Reason)
		}
		return f.Kind.Info().Fails
	}
	text := phrase.Cut(f.Loop, "", f.Bound) + " and may need more"
	switch {
	case phrase.IsInput(f.Loop):
		return phrase.Cut(f.Loop, "", f.Bound) + phrase.EndedBy(f.Why)
	case f.Why.Cause != nil: // a larger bound would not help
		text += phrase.EndedBy(f.Why)
	case f.Bound <= 0:
	case phrase.IsLoop(f.Loop):
		text += fmt.Sprintf(" (--unwind '%s=%d')", f.Loop, 2*f.Bound)
	default:
		text += fmt.Sprintf(" (--unwind %d)", 2*f.Bound) // the bound of a recursion has no key of its own
	}
	return text
}
