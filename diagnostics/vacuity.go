package diagnostics

import (
	"fmt"
	"strings"

	"github.com/unitproof/unitproof/diagnostics/phrase"
	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/found"
)

// core converts the entries of a contradiction, with their source text.
func (m *messenger) core(entries []vcgen.CoreEntry) []CoreEntry {
	out := make([]CoreEntry, 0, len(entries))
	for _, e := range entries {
		file := m.root.Show(e.Pos.File)
		c := CoreEntry{Kind: e.Kind, File: file, Line: e.Pos.Line, Column: e.Pos.Column}
		src := m.sources.File(file)
		if e.Kind == found.CoreBranch {
			text, inverted, certain := branchTruth(src, e.Pos.Line, e.Pos.Column, e.Turned)
			c.Text, c.Condition = text, text
			if certain {
				taken := e.Taken != inverted
				c.Taken = &taken
				if !taken {
					c.Text = "!(" + text + ")"
				}
			}
		} else if cond, ok := src.Condition(e.Pos.Line, e.Pos.Column); ok {
			c.Text = cond.Text()
		} else {
			c.Text = src.CodeLine(e.Pos.Line)
		}
		out = append(out, c)
	}
	return out
}

// phrase names an entry inside a sentence.
func (c *CoreEntry) phrase(from string) string {
	at := phrase.Where(from, c.File, c.Line)
	switch {
	case c.Text == "":
		return fmt.Sprintf("the %s on %s", nounOf(c.Kind), at)
	case c.Kind == found.CoreBranch:
		switch {
		case c.Taken == nil:
			return fmt.Sprintf("the branch at %s (%s)", phrase.Quote(c.Condition), at)
		case c.negated():
			return fmt.Sprintf("%s being false (%s)", phrase.Quote(c.Condition), at)
		}
		return fmt.Sprintf("%s (%s)", phrase.Quote(c.Condition), at)
	default:
		return fmt.Sprintf("the assumption %s (%s)", phrase.Quote(c.Text), at)
	}
}

// CoreSentence describes entry i of the contradiction that makes a finding vacuous, for display at the entry: "this
// assumption contradicts `n > 4` (line 7), so nothing behind both is reached".
func (f *Finding) CoreSentence(i int) string {
	c := &f.VacuityCore[i]
	subject := "this " + nounOf(c.Kind)
	switch {
	case c.Kind == found.CoreBranch && c.negated():
		subject += " not being taken"
	case c.Kind == found.CoreBranch:
		subject += " being taken"
	}
	var others []string
	for k := range f.VacuityCore {
		if k != i {
			others = append(others, f.VacuityCore[k].phrase(c.File))
		}
	}
	switch n := len(others); n {
	case 0:
		return subject + " can never hold, so nothing behind it is reached"
	case 1:
		return subject + " contradicts " + others[0] + ", so nothing behind both is reached"
	default:
		return subject + " contradicts " + strings.Join(others[:n-1], ", ") + " and " + others[n-1] +
			" together, so nothing behind all of them is reached"
	}
}

func nounOf(kind found.CoreKind) string {
	if kind == found.CoreAssume {
		return "assumption"
	}
	return string(kind)
}

// contradiction returns the reason that a place is unreachable, as the end of a sentence.
func contradiction(f *Finding) string {
	var parts []string
	for i := range f.VacuityCore {
		parts = append(parts, f.VacuityCore[i].phrase(f.File))
	}
	switch len(parts) {
	case 0:
		return ""
	case 1:
		return ": " + parts[0] + " can never hold"
	case 2:
		return ": " + parts[0] + " contradicts " + parts[1]
	default:
		last := len(parts) - 1
		return ": " + strings.Join(parts[:last], ", ") + " and " + parts[last] + " contradict each other"
	}
}
