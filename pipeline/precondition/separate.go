package precondition

import (
	"math/big"
	"slices"
)

// A condition can be exact only if it separates the known executions: it is false in all that fail, and true in all
// that come to the place and do not fail. Each check of such a condition either decides it or shows an execution that
// it does not separate, so few checks are needed although there are many pairs of comparisons.

// Passing adds an execution that comes to the place and does not fail.
func (s *Search) Passing(state State) { s.passing = append(s.passing, state) }

const (
	// maxSeparating bounds the conditions that Separating returns.
	maxSeparating = 16
	// scoreSampled is the cost of a constant that is a value of an execution.
	scoreSampled = 0.7
	// maxStates bounds the executions of each kind that are compared: a bit stands for each.
	maxStates = 64
)

// view holds the values of a condition in known executions, a bit for each.
type view struct{ yes, no uint64 }

func (c *Condition) view(states []State) (v view) {
	for i, state := range states[:min(len(states), maxStates)] {
		switch c.eval(state) {
		case yes:
			v.yes |= 1 << i
		case no:
			v.no |= 1 << i
		}
	}
	return v
}

// part is a condition with its values in the known executions.
type part struct {
	*Condition
	outcome          Trial
	failing, passing view
}

// excludes reports whether the condition is true in no failing execution and false in one.
func (p *part) excludes() bool { return p.failing.yes == 0 && p.failing.no != 0 }

// comparesFloats reports whether the condition compares two different floats.
func (p *part) comparesFloats() bool {
	left, _, _, ok := comparison(p.Condition)
	return ok && left.isFloat(p.vars) && len(p.used()) == 2
}

// Separating returns the simplest condition that separates the known executions and was not tried: one comparison, or
// two of them. It returns nil if there is none, or if no passing execution is known.
func (s *Search) Separating() *Condition {
	if len(s.passing) == 0 || len(s.separated) >= maxSeparating {
		return nil
	}
	var parts []part
	var best *Condition
	consider := func(c *Condition) {
		if (best == nil || c.score < best.score) && s.separated[c.Text()] == nil {
			best = c
		}
	}
	for _, p := range s.parts() {
		p.failing, p.passing = p.view(s.failing), p.view(s.passing)
		if p.outcome == untried && p.excludes() && p.passing.no == 0 {
			consider(p.Condition)
		}
		if len(p.clauses) == 1 {
			parts = append(parts, p)
		}
	}
	all := uint64(1)<<min(len(s.failing), maxStates) - 1
	for i := range parts {
		a := &parts[i]
		if a.passing.no != 0 && a.failing.yes != 0 {
			continue // in no pair: it is wrong on both sides
		}
		for k := i + 1; k < len(parts); k++ {
			b := &parts[k]
			score := a.score + b.score
			if best != nil && score >= best.score {
				continue
			}
			var clauses [][]atom
			switch {
			case a.passing.no == 0 && b.passing.no == 0 && a.failing.yes != 0 && b.failing.yes != 0 &&
				a.failing.no|b.failing.no == all: // each excludes some of the failing executions
				clauses = [][]atom{a.clauses[0], b.clauses[0]}
			case a.comparesFloats() && b.comparesFloats() && len(common(a.used(), b.used())) == 2:
				continue // x <= y || y <= x: both are numbers
			case a.excludes() && b.excludes() && a.passing.no != 0 && b.passing.no != 0 && a.passing.no&b.passing.no == 0:
				clauses = [][]atom{slices.Concat(a.clauses[0], b.clauses[0])}
			default:
				continue
			}
			both := &Condition{clauses: clauses, vars: a.vars, score: score + scoreBoth, guessed: true}
			if len(common(a.used(), b.used())) > 0 { // a range is simpler than two unrelated facts
				both.score -= scoreBoth
			}
			if len(clauses) == 2 {
				if one := equality(a.Condition, b.Condition); one != nil {
					both.clauses = [][]atom{{*one}}
				}
			}
			consider(both)
		}
	}
	if best != nil {
		s.separated[best.Text()] = &tried{Condition: best}
	}
	return best
}

// parts returns the single conditions that can be written, and bounds by the values of the known executions.
func (s *Search) parts() (list []part) {
	for _, t := range s.singles {
		if t.outcome != Empty {
			list = append(list, part{Condition: t.Condition, outcome: t.outcome})
		}
	}
	for i := range s.request.Vars {
		for _, c := range s.sampled(i) {
			list = append(list, part{Condition: c})
		}
	}
	return list
}

// sampled returns the bounds of a number that its values in the known executions suggest: below or above one that
// fails, up to the largest one that passes, and so on. Counterexamples are minimized, so these values are near to where
// the failure begins.
func (s *Search) sampled(i int) []*Condition {
	v := &s.request.Vars[i]
	if v.Pointer || v.Bool || v.Enum != nil {
		return nil
	}
	m := maker{Request: s.request}
	known := map[string]bool{}
	add := func(op string, n *big.Int) {
		if n == nil || known[op+n.String()] || !v.Float && n.BitLen() <= 1 && n.Sign() >= 0 {
			return // 0 and 1 are constants of each search
		}
		known[op+n.String()] = true
		k := constant(n, "")
		if v.Float {
			var ok bool
			if k, ok = floatConstant(floatOf(n), v.Bits); !ok {
				return
			}
		}
		m.add(scoreConstant+scoreSampled, atom{variable(i), op, k})
	}
	for _, state := range s.failing {
		if x := state[i]; x != nil && x != nan {
			add("<", x)
			add(">", x)
			add("!=", x)
		}
	}
	var smallest, largest *big.Int
	for _, state := range s.passing {
		if x := state[i]; x != nil && x != nan {
			if smallest == nil || x.Cmp(smallest) < 0 {
				smallest = x
			}
			if largest == nil || x.Cmp(largest) > 0 {
				largest = x
			}
		}
	}
	add("<=", largest)
	add(">=", smallest)
	for _, c := range m.list {
		c.guessed = true
	}
	return m.list
}
