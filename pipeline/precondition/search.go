package precondition

import (
	"math/big"
	"slices"
	"sort"
)

// Search chooses which condition is tried next.
type Search struct {
	singles []*tried
	pairs   []*tried // nil: not made yet
	failing []State
	passing []State
	holding []*Condition
	request Request
	// separated are the conditions that Separating made; tried ones are not returned again.
	separated map[string]*tried
	more      int // conjunctions that were returned although others hold
	wider     int // conditions that widened made
}

// tried is a candidate with the outcome of its check.
type tried struct {
	*Condition
	outcome Trial
	parts   [2]*tried // of a conjunction
}

// Trial is what the check of a candidate shows.
type Trial uint8

// Results of checks; the zero value is a candidate that was not tried.
const (
	untried  Trial = iota
	Excludes       // the failure is gone
	Fails          // the failure is still there
	Empty          // it leaves no execution
)

// NewSearch begins a search with the failing execution.
func NewSearch(r Request, failing State) *Search {
	s := &Search{failing: []State{failing}, request: r, separated: map[string]*tried{}}
	for _, c := range candidates(r) {
		s.singles = append(s.singles, &tried{Condition: c})
	}
	sort.SliceStable(s.singles, func(i, k int) bool { return s.singles[i].score < s.singles[k].score })
	return s
}

// maxPairs bounds the conjunctions that are looked at, maxParts the conditions that they are made of.
const (
	maxPairs = 20_000
	maxParts = 160
	// morePairs is how many conjunctions are tried if a simpler condition excludes the failure.
	morePairs = 6
)

// Next is the next condition to be tried, nil if none is left. Conjunctions come when no other is.
func (s *Search) Next() *Condition {
	for _, t := range s.singles { // one that is weaker than one that excludes the failure
		weaker := func(h *Condition) bool { return implies(h, t.Condition) }
		if t.outcome == untried && slices.ContainsFunc(s.holding, weaker) && s.possible(t) {
			return t.Condition
		}
	}
	if c := s.widened(); c != nil {
		return c
	}
	if c := s.next(s.singles); c != nil {
		return c
	}
	if s.pairs == nil {
		s.conjunctions()
	}
	if len(s.holding) > 0 {
		if s.more == morePairs {
			return nil
		}
		s.more++
	}
	return s.next(s.pairs)
}

// maxWidened bounds the conditions that widened makes.
const maxWidened = 12

// widened returns a weaker bound than one that excludes the failure: up to the nearest value that fails. If x <= 4
// excludes it, and an execution with x = 9 fails, it returns x <= 8.
func (s *Search) widened() *Condition {
	for _, h := range s.holding {
		left, right, op, ok := comparison(h)
		if !ok || !right.isConstant() || left.a != nil || s.wider == maxWidened || op == "==" || op[0] == '!' ||
			left.isFloat(h.vars) {
			continue
		}
		var near *big.Int
		up := op[0] == '<'
		for _, state := range s.failing {
			v := left.eval(state)
			if v != nil && h.eval(state) == no && (near == nil || (v.Cmp(near) < 0) == up) {
				near = v
			}
		}
		if near == nil {
			continue
		}
		one := big.NewInt(1)
		last := new(big.Int).Add(near, one)
		if op = ">="; up {
			op = "<="
			last.Sub(near, one)
		}
		weaker := &Condition{clauses: [][]atom{{{left, op, constant(last, "")}}}, vars: h.vars, score: h.score}
		known := func(t *tried) bool { return implies(weaker, t.Condition) && implies(t.Condition, weaker) }
		if implies(weaker, h) || slices.ContainsFunc(s.singles, known) {
			continue
		}
		s.wider++
		s.singles = append(s.singles, &tried{Condition: weaker})
		return weaker
	}
	return nil
}

func (s *Search) next(list []*tried) *Condition {
	for _, t := range list {
		if t.outcome == untried && s.possible(t) {
			return t.Condition
		}
	}
	return nil
}

// possible reports whether a condition is false in all known failing executions. One that implies a condition that
// excludes the failure is not.
func (s *Search) possible(t *tried) bool {
	sure := false
	for _, state := range s.failing {
		switch t.eval(state) {
		case yes:
			return false
		case no:
			sure = true
		}
	}
	if !sure {
		return false
	}
	for _, p := range t.parts {
		if p != nil && (p.outcome == Excludes || p.outcome == Empty) {
			return false
		}
	}
	return !slices.ContainsFunc(s.holding, func(h *Condition) bool { return implies(t.Condition, h) })
}

// Failing adds an execution that fails although a condition was assumed.
func (s *Search) Failing(state State) { s.failing = append(s.failing, state) }

// Tried notes the outcome of a condition's check.
func (s *Search) Tried(c *Condition, o Trial) {
	for _, list := range [][]*tried{s.singles, s.pairs} {
		for _, t := range list {
			if t.Condition == c {
				t.outcome = o
			}
		}
	}
	if t := s.separated[c.Text()]; t != nil {
		t.outcome = o
	}
	if o == Excludes && !c.guessed {
		s.holding = append(s.holding, c)
	}
}

// Holding are the conditions that exclude the failure, without guessed ones.
func (s *Search) Holding() []*Condition { return s.holding }

// conjunctions makes the pairs of single conditions that each exclude some of the failing executions.
func (s *Search) conjunctions() {
	s.pairs = []*tried{}
	var parts []*tried
	for _, t := range s.singles {
		if t.outcome == Excludes || t.outcome == Empty || len(t.clauses) > 1 || len(parts) == maxParts {
			continue
		}
		if slices.ContainsFunc(s.failing, func(f State) bool { return t.eval(f) == no }) {
			parts = append(parts, t)
		}
	}
	for i, a := range parts {
		for _, b := range parts[i+1:] {
			if len(s.pairs) == maxPairs {
				break
			}
			both := &Condition{clauses: [][]atom{a.clauses[0], b.clauses[0]}, vars: a.vars,
				score: a.score + b.score + scoreBoth}
			if implies(a.Condition, b.Condition) || implies(b.Condition, a.Condition) ||
				contradict(a.Condition, b.Condition) {
				continue
			}
			if one := equality(a.Condition, b.Condition); one != nil {
				both.clauses = [][]atom{{*one}}
			}
			if len(common(a.used(), b.used())) > 0 { // a range of one value is simpler than two unrelated facts
				both.score -= scoreBoth
			}
			s.pairs = append(s.pairs, &tried{Condition: both, parts: [2]*tried{a, b}})
		}
	}
	sort.SliceStable(s.pairs, func(i, k int) bool { return s.pairs[i].score < s.pairs[k].score })
}

func common(a, b []int) (both []int) {
	for _, x := range a {
		if slices.Contains(b, x) {
			both = append(both, x)
		}
	}
	return both
}

// comparison is a condition that is one comparison of a variable with a variable or a constant.
func comparison(c *Condition) (left, right *term, op string, ok bool) {
	if len(c.clauses) != 1 || len(c.clauses[0]) != 1 || c.clauses[0][0].right == nil {
		return nil, nil, "", false
	}
	a := &c.clauses[0][0]
	if a.left.a != nil || a.left.constant != nil {
		return nil, nil, "", false
	}
	return a.left, a.right, a.op, true
}

// stronger are the operators that imply another one of the same operands.
var stronger = map[string][]string{"<=": {"<", "=="}, ">=": {">", "=="}, "!=": {"<", ">"},
	"!<": {">", ">=", "==", "!<="}, "!<=": {">"}, "!>": {"<", "<=", "==", "!>="}, "!>=": {"<"}}

var mirrored = map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!=", "!<": "!>",
	"!<=": "!>=", "!>": "!<", "!>=": "!<="}

// Implies reports whether the condition implies another one by its form alone: x < 4 implies x < 8.
func (c *Condition) Implies(other *Condition) bool { return implies(c, other) }

// implies reports whether one condition implies another one by its form alone; false if that is not seen.
func implies(a, b *Condition) bool {
	if len(b.clauses) > 1 {
		return !slices.ContainsFunc(b.clauses, func(clause []atom) bool {
			return !implies(a, &Condition{clauses: [][]atom{clause}, vars: b.vars})
		})
	}
	if len(a.clauses) > 1 {
		return slices.ContainsFunc(a.clauses, func(clause []atom) bool {
			part := &Condition{clauses: [][]atom{clause}, vars: a.vars}
			return implies(part, b)
		})
	}
	if a.Text() == b.Text() {
		return true
	}
	if len(a.clauses[0]) > 1 { // a disjunction implies what all of its parts imply
		return !slices.ContainsFunc(a.clauses[0], func(x atom) bool { return !implies(alone(a, x), b) })
	}
	if len(b.clauses[0]) > 1 {
		return slices.ContainsFunc(b.clauses[0], func(x atom) bool { return implies(a, alone(b, x)) })
	}
	al, ar, aop, ok := comparison(a)
	bl, br, bop, ok2 := comparison(b)
	if !ok || !ok2 {
		return false
	}
	if !ar.isConstant() && ar.a == nil && !br.isConstant() && br.a == nil && al.variable == br.variable &&
		ar.variable == bl.variable {
		al, ar, aop = ar, al, mirrored[aop]
	}
	if al.variable != bl.variable {
		return false
	}
	if !ar.isConstant() || !br.isConstant() {
		return ar.text(a.vars) == br.text(b.vars) && slices.Contains(stronger[bop], aop)
	}
	// Every value that satisfies a lies on one side of a's constant.
	switch c := ar.eval(nil).Cmp(br.eval(nil)); {
	case aop == "==":
		op, opposite := plain(bop)
		return compares(op, c) != opposite
	case c == 0:
		return slices.Contains(stronger[bop], aop)
	case c < 0:
		return (aop == "<" || aop == "<=") && (bop == "<" || bop == "<=" || bop == "!=")
	default:
		return (aop == ">" || aop == ">=") && (bop == ">" || bop == ">=" || bop == "!=")
	}
}

// alone returns one comparison of a condition.
func alone(c *Condition, x atom) *Condition { return &Condition{clauses: [][]atom{{x}}, vars: c.vars} }

// equality is x == c for x <= c and x >= c, nil for other conditions.
func equality(a, b *Condition) *atom {
	al, ar, aop, ok := comparison(a)
	bl, br, bop, ok2 := comparison(b)
	if !ok || !ok2 || al.variable != bl.variable || ar.text(a.vars) != br.text(b.vars) ||
		!(aop == "<=" && bop == ">=" || aop == ">=" && bop == "<=") {
		return nil
	}
	return &atom{al, "==", ar}
}

// contradict reports whether two comparisons of one variable with constants have no common value.
func contradict(a, b *Condition) bool {
	al, ar, aop, ok := comparison(a)
	bl, br, bop, ok2 := comparison(b)
	if !ok || !ok2 || al.variable != bl.variable || !ar.isConstant() || !br.isConstant() {
		return false
	}
	c := ar.eval(nil).Cmp(br.eval(nil))
	below := func(op string) bool { return op == "<" || op == "<=" || op == "==" }
	above := func(op string) bool { return op == ">" || op == ">=" || op == "==" }
	return below(aop) && above(bop) && (c < 0 || c == 0 && (aop == "<" || bop == ">")) ||
		above(aop) && below(bop) && (c > 0 || c == 0 && (aop == ">" || bop == "<"))
}
