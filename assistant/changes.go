package assistant

import (
	"fmt"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/vcgen/found"
)

// Changes is the difference between two results of the same proofs.
type Changes struct {
	Compared int     `json:"compared" jsonschema:"how many of the proofs had an earlier result"`
	Appeared []Brief `json:"appeared,omitempty" jsonschema:"open findings that were not open before"`
	Vanished []Gone  `json:"vanished,omitempty" jsonschema:"findings that were open before, and what became of them"`
	Changed  []Brief `json:"changed,omitempty" jsonschema:"open findings that say something else"`
	// Additions beside the findings: each can make a proof green without a correction.
	AssumptionsAdded []string `json:"assumptions_added,omitempty" jsonschema:"what the proof assumes now and did not before, assume() included"`
	AssumptionsGone  []string `json:"assumptions_gone,omitempty"`
	NotDoneAdded     []string `json:"not_done_added,omitempty"`
	ChecksLost       int      `json:"checks_lost,omitempty" jsonschema:"proved findings of before that are gone or no longer reached"`
	More             int      `json:"more,omitempty" jsonschema:"entries that are left out here"`
}

// Gone is a finding that is not open any more.
type Gone struct {
	ID      string `json:"id"`
	Kind    string `json:"kind"`
	Message string `json:"message"`
	Now     string `json:"now" jsonschema:"proved, unreached (no execution gets there any more), accepted, or gone (there is no such place)"`
}

// changesOf compares results with the earlier ones.
func changesOf(o *outcome) *Changes {
	c := &Changes{}
	for i, s := range o.states {
		if before := o.before[i]; before != nil && s.Result != nil {
			c.compare(before, s.Result)
		}
	}
	return c
}

func (c *Changes) compare(before, now *diagnostics.Proof) {
	c.Compared++
	label := func(text string) string { return clip(fmt.Sprintf("%s: %s", now.Name, text), 160) }
	if now.Verdict == found.Error || before.Verdict == found.Error {
		return // one of them has no findings that could be compared
	}
	for i := range now.Obligations {
		f := &now.Obligations[i]
		old := before.Finding(f.ID)
		switch {
		case !open(f):
		case old == nil || !open(old):
			c.Appeared = append(c.Appeared, briefOf(now, f))
		case old.Verdict != f.Verdict || old.Message != f.Message:
			c.Changed = append(c.Changed, briefOf(now, f))
		}
	}
	for i := range before.Obligations {
		old := &before.Obligations[i]
		f := now.Finding(old.ID)
		switch {
		case open(old) && (f == nil || !open(f)):
			c.Vanished = append(c.Vanished, Gone{old.ID, string(old.Kind), clip(old.Message, 160), became(f)})
		case old.Verdict == found.Proved && (f == nil || f.Verdict == found.Unreached):
			c.ChecksLost++
		}
	}
	was, is := assumptions(before), assumptions(now)
	for _, a := range is {
		if !slices.Contains(was, a) {
			c.AssumptionsAdded = append(c.AssumptionsAdded, label(a))
		}
	}
	for _, a := range was {
		if !slices.Contains(is, a) {
			c.AssumptionsGone = append(c.AssumptionsGone, label(a))
		}
	}
	for _, code := range now.NotDone {
		if !slices.Contains(before.NotDone, code) {
			c.NotDoneAdded = append(c.NotDoneAdded, label(string(code)))
		}
	}
}

// became returns the present state of a finding that was open before.
func became(f *diagnostics.Finding) string {
	switch {
	case f == nil:
		return "gone"
	case f.Accepted:
		return "accepted"
	case f.Behind():
		return "behind another finding"
	}
	return string(f.Verdict)
}

// loopInvariant begins the clauses of loops: a loop's invariant is assumed at its head, and checked as well.
const loopInvariant = "__CPROVER_loop_invariant"

// assumptions are the conditions that the user's code assumes, and the assumptions of the check.
func assumptions(p *diagnostics.Proof) (list []string) {
	for _, text := range p.Assumes {
		if !strings.HasPrefix(text, loopInvariant) {
			list = append(list, "assume "+text)
		}
	}
	for i := range p.Assumptions {
		list = append(list, p.Assumptions[i].Message)
	}
	return list
}

// leaveOut makes the changes smaller, the least important first.
func (c *Changes) leaveOut() []func() bool {
	return []func() bool{shorten(&c.AssumptionsGone, &c.More), shorten(&c.Vanished, &c.More),
		shorten(&c.Changed, &c.More), shorten(&c.NotDoneAdded, &c.More), shorten(&c.Appeared, &c.More),
		shorten(&c.AssumptionsAdded, &c.More)}
}
