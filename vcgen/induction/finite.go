package induction

import (
	"slices"

	"github.com/unitproof/unitproof/vcgen/ask"
	"github.com/unitproof/unitproof/vcgen/invariant"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// The variables of a controller have few values, but no comparison expresses how these depend on each other: a door is
// open in one mode only, and this mode is entered at one pressure only. The candidate is the set of combinations of
// values, the states. It begins with those of executions. A query finds a state to which one iteration leads from the
// set, and adds it, until there is none. Other variables are arbitrary, so the set may be larger than what is reachable
// (E. Clarke, E. Emerson and A. Sistla, "Automatic Verification of Finite-State Concurrent Systems", TOPLAS 1986).

// statesText is the template of the candidate.
const statesText = "states"

// Limits of the states of one head.
const (
	maxFinite     = 40        // values of one variable
	maxStates     = 320       // combinations
	finiteBudget  = 500       // conflicts of a query
	maxFiniteWork = 2_000_000 // for all heads: about two seconds
)

// finite adds a late candidate for the states of a head, if they are few, and reports whether it did. It is given up if
// the asker's work reaches until.
func (in *Finder) finite(i int, until int64) bool {
	if len(in.samples) == 0 || len(in.samples[i].rows) < leastEvidence || in.heads[i].Begin != nil {
		return false
	}
	s := &in.samples[i]
	var columns []int
	values := map[int]int{} // by column: how many it has
	for k, t := range s.columns {
		if !in.states[i].Changes(t) {
			continue
		}
		seen := map[uint64]bool{}
		for _, row := range s.rows {
			seen[row[k]] = true
		}
		if values[k] = len(seen); values[k] <= maxFinite && (in.c.Sort(t).IsBool() || in.c.Width(t) <= 64) {
			columns = append(columns, k)
		}
	}
	for len(columns) > 0 && in.ctx.Err() == nil && in.asker.Work() < until {
		x := states{in: in, head: i, has: map[string]bool{}, until: until}
		for _, k := range columns {
			x.terms = append(x.terms, s.columns[k])
		}
		for _, row := range s.rows {
			var state []uint64
			for _, k := range columns {
				state = append(state, row[k])
			}
			x.add(state)
		}
		if x.close() {
			fact, ok := in.states[i].Condition(x.fact(x.terms))
			if ok {
				in.lemmas[i] = append(in.lemmas[i], &lemma{Condition: fact, text: statesText, late: true,
					holds: map[int]int{}})
			}
			return ok
		}
		// Without the variable that has the most values, which may be a counter.
		most := slices.MaxFunc(columns, func(a, b int) int { return values[a] - values[b] })
		columns = slices.DeleteFunc(columns, func(k int) bool { return k == most })
	}
	return false
}

// states are combinations of values of terms at a head.
type states struct {
	in    *Finder
	head  int
	terms []smt.Term
	list  [][]uint64
	has   map[string]bool
	until int64 // work of the asker
}

// add adds a combination, and reports whether it is new.
func (x *states) add(state []uint64) bool {
	key := make([]byte, 0, 8*len(state))
	for _, v := range state {
		for ; v > 0x7f; v >>= 7 {
			key = append(key, byte(v)|0x80)
		}
		key = append(key, byte(v))
	}
	if x.has[string(key)] {
		return false
	}
	x.has[string(key)] = true
	x.list = append(x.list, state)
	return true
}

// fact returns the condition that terms have one of the combinations.
func (x *states) fact(terms []smt.Term) smt.Term {
	c := x.in.c
	var all []smt.Term
	for _, state := range x.list {
		var is []smt.Term
		for k, t := range terms {
			is = append(is, x.in.has(t, state[k]))
		}
		all = append(all, c.And(is...))
	}
	return c.Or(all...)
}

// close adds the combinations that follow. It reports whether no more follow, within its limits.
func (x *states) close() bool {
	in, h := x.in, x.in.heads[x.head]
	for some := true; some; {
		some = false
		for k := -1; k < len(h.Back); k++ {
			event, guard, to := h.Entry, h.Guard, in.states[x.head].Entry
			if k >= 0 {
				event, guard, to = h.Back[k].Event, h.Back[k].Guard, in.states[x.head].Back[k]
			}
			more, ok := x.follow(event, guard, to)
			if !ok {
				return false
			}
			some = some || more
		}
	}
	return true
}

// follow adds the combinations in which an event leads to the head.
func (x *states) follow(event int, guard smt.Term, to *invariant.State) (some, ok bool) {
	in, c := x.in, x.in.c
	facts := append([]smt.Term{in.factsBefore(event), guard}, in.facts(event, again)...)
	after := make([]smt.Term, len(x.terms))
	for k, t := range x.terms {
		after[k] = to.Evaluate(t)
	}
	session := &ask.Session{Whole: true}
	defer session.Close()
	for {
		if len(x.list) > maxStates || in.asker.Work() >= x.until {
			return some, false
		}
		q := ask.Question{Given: facts, Any: []smt.Term{c.Not(x.fact(after))}, Budget: finiteBudget, Session: session}
		if event != in.heads[x.head].Entry {
			q.Facts = []smt.Term{x.fact(x.terms)}
		}
		o := in.asker.Ask(in.ctx, q)
		in.spent += o.Steps
		switch o.Answer {
		case smt.Unsat:
			return some, in.ctx.Err() == nil
		case smt.Sat:
		default:
			return some, false
		}
		state := make([]uint64, len(after))
		for k, t := range after {
			if c.Sort(t).IsBool() {
				state[k] = b2u(o.Model.EvalBool(t))
			} else {
				state[k] = o.Model.EvalUint(t)
			}
		}
		if !x.add(state) {
			return some, false
		}
		some = true
	}
}
