package precondition

import (
	"math/big"
	"math/bits"
	"slices"
	"strings"
)

// A condition can be exact only if it separates the known executions: it is false in all that fail, and true in all
// that come to the place and do not fail. Each check of such a condition either decides it or shows an execution that
// it does not separate, so few checks are needed although there are many pairs of comparisons.

// Passing adds an execution that comes to the place and does not fail.
func (s *Search) Passing(state State) { s.passing = append(s.passing, state) }

const (
	// maxSeparating bounds the conditions that Separating returns.
	maxSeparating = 28
	// scoreSampled is the cost of a constant that is a value of an execution.
	scoreSampled = 0.7
	// scoreFamily is the cost of the same comparison for several elements, beside that of one.
	scoreFamily = 1.2
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
	for _, p := range families(parts) {
		if p.excludes() && p.passing.no == 0 {
			consider(p.Condition)
		}
		parts = append(parts, p)
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
	if best == nil {
		best = s.covering(parts)
	}
	if best != nil {
		s.separated[best.Text()] = &tried{Condition: best}
	}
	return best
}

// families returns a disjunction for each array whose elements are compared with a constant: one of these comparisons
// holds. For a text: one of its first characters is 0. Each comparison excludes all failing executions.
func families(parts []part) (list []part) {
	index := map[string]int{}
	for _, p := range parts {
		left, right, op, ok := comparison(p.Condition)
		if !ok || !right.isConstant() || !p.excludes() {
			continue
		}
		name, _, element := strings.Cut(left.text(p.vars), "[")
		if !element {
			continue
		}
		key := name + op + right.text(p.vars)
		i, ok := index[key]
		if !ok {
			index[key] = len(list)
			p.Condition = &Condition{clauses: [][]atom{slices.Clone(p.clauses[0])}, vars: p.vars, guessed: true,
				score: p.score + scoreFamily}
			list = append(list, p)
			continue
		}
		q := &list[i]
		q.clauses[0] = append(q.clauses[0], p.clauses[0]...)
		q.failing.no &= p.failing.no
		q.passing = view{yes: q.passing.yes | p.passing.yes, no: q.passing.no & p.passing.no}
	}
	return slices.DeleteFunc(list, func(p part) bool { return len(p.clauses[0]) < 3 })
}

// maxCovering bounds the parts of a condition that covering makes.
const maxCovering = 6

// covering returns a condition of more than two comparisons that separates the known executions: a disjunction of
// comparisons that each exclude all failing executions, or a conjunction of comparisons or pairs of them that each hold
// in all passing ones. Each step adds the part that decides most of the executions left, and of those the simplest.
func (s *Search) covering(parts []part) *Condition {
	var either, all []part
	for _, p := range parts {
		switch {
		case p.excludes():
			either = append(either, p)
		case p.passing.no == 0 && p.failing.no != 0:
			all = append(all, p)
		}
	}
	failing := uint64(1)<<min(len(s.failing), maxStates) - 1
	passing := uint64(1)<<min(len(s.passing), maxStates) - 1
	var best *Condition
	consider := func(chosen []part, join func(chosen []part) [][]atom) {
		if chosen == nil {
			return
		}
		c := &Condition{clauses: join(chosen), vars: chosen[0].vars, guessed: true}
		for i := range chosen {
			c.score += chosen[i].score
		}
		if (best == nil || c.score < best.score) && s.separated[c.Text()] == nil {
			best = c
		}
	}
	consider(cover(either, passing, func(p *part) uint64 { return p.passing.yes }), func(chosen []part) [][]atom {
		var clause []atom
		for i := range chosen {
			clause = append(clause, chosen[i].clauses[0]...)
		}
		return [][]atom{clause}
	})
	conjunction := func(chosen []part) (clauses [][]atom) {
		for i := range chosen {
			clauses = append(clauses, chosen[i].clauses[0])
		}
		return clauses
	}
	excluded := func(p *part) uint64 { return p.failing.no }
	consider(cover(all, failing, excluded), conjunction)
	if best == nil {
		consider(cover(append(all, s.pairsOf(parts)...), failing, excluded), conjunction)
	}
	return best
}

// maxPaired bounds the comparisons that pairs are made of.
const maxPaired = 80

// pairsOf returns the disjunctions of two relations between variables that hold in all passing executions, and are
// false in a failing one.
func (s *Search) pairsOf(parts []part) (list []part) {
	var single []part
	for _, p := range parts {
		if len(p.clauses[0]) == 1 && p.Relational() && len(single) < maxPaired {
			single = append(single, p)
		}
	}
	for i := range single {
		a := &single[i]
		for k := i + 1; k < len(single); k++ {
			b := &single[k]
			no := a.failing.no & b.failing.no
			if no == 0 || a.passing.no&b.passing.no != 0 || a.passing.no == 0 || b.passing.no == 0 {
				continue
			}
			both := &Condition{clauses: [][]atom{slices.Concat(a.clauses[0], b.clauses[0])}, vars: a.vars,
				score: a.score + b.score}
			list = append(list, part{Condition: both, failing: view{no: no}})
		}
	}
	return list
}

// cover returns parts that together have all bits of a set; nil if there are none, or too many are needed.
func cover(parts []part, set uint64, of func(p *part) uint64) (chosen []part) {
	for left := set; left != 0; {
		best, most := -1, 0
		for i := range parts {
			n := bits.OnesCount64(of(&parts[i]) & left)
			if n > most || n == most && n > 0 && parts[i].score < parts[best].score {
				best, most = i, n
			}
		}
		if best < 0 || len(chosen) == maxCovering {
			return nil
		}
		chosen = append(chosen, parts[best])
		left &^= of(&parts[best])
	}
	return chosen
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

// sampled returns that a number or pointer is 0, and the bounds of a number that its values in the known executions
// suggest: below or above one that fails, up to the largest one that passes, and so on. Counterexamples are minimized,
// so these values are near to where the failure begins.
func (s *Search) sampled(i int) []*Condition {
	v := &s.request.Vars[i]
	if v.Bool || v.Enum != nil {
		return nil
	}
	m := maker{Request: s.request}
	switch {
	case v.Pointer:
		m.add(scoreEqual, atom{variable(i), "==", constant(new(big.Int), "NULL")})
	case v.Signed:
		m.add(scoreEqual, atom{variable(i), "==", constant(new(big.Int), "")})
	}
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
		if x := state[i]; x != nil && x != nan && !v.Pointer {
			add("<", x)
			add(">", x)
			add("!=", x)
		}
	}
	var smallest, largest *big.Int
	for _, state := range s.passing {
		if x := state[i]; x != nil && x != nan && !v.Pointer {
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
	if v.Float {
		half := func(op string, key *big.Int) {
			n := len(m.list)
			if add(op, key); len(m.list) > n {
				m.list[n].score -= scoreStrict // it halves the range
			}
		}
		for _, state := range s.failing {
			if x := state[i]; x != nil && x != nan {
				if largest != nil && x.Cmp(largest) > 0 {
					half("<", simplest(largest, x, v.Bits))
				}
				if smallest != nil && x.Cmp(smallest) < 0 {
					half(">", simplest(x, smallest, v.Bits))
				}
			}
		}
	}
	for _, c := range m.list {
		c.guessed = true
	}
	return m.list
}
