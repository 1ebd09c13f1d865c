package ask

import (
	"context"
	"errors"
	"fmt"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// Recheck is the result of solving a cached query again.
type Recheck struct {
	Key    smt.Digest
	Kept   smt.Answer
	Got    smt.Answer // of the solver; 0: it was not used
	Detail string     // the error, "" if there is none
	// Undecided: the solver found no answer.
	Undecided bool
	Terms     int // size of the query
}

// recheckBudget limits the solver per query, in conflicts. It exceeds the budget of any original query, unless
// solver-steps was raised.
const recheckBudget = 2 * SingleBudget

// RecheckSegment checks the cached answers in a segment of a Memo for which choose returns true: the key matches the
// structure of the query, a cached model satisfies it, and a new solver finds the same answer. choose is called once
// for each answer, in order.
func RecheckSegment(ctx context.Context, data []byte, choose func() bool, newSolver NewSolver,
	tell func(Recheck)) error {
	seg, err := decodeSegment(data)
	if err != nil {
		return err
	}
	c, canon, terms, err := smt.Decode(seg.wire.Terms)
	if err != nil {
		return err
	}
	sets, err := digestSets(c, canon, terms, seg.wire.Sets)
	if err != nil {
		return err
	}
	memo := &Memo{canon: canon}
	for i, a := range seg.answers {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !choose() {
			continue
		}
		set := int(seg.wire.Known[i].Set)
		r := Recheck{Key: a.key, Kept: a.is}
		all := closure(terms, seg.wire.Sets, set)
		r.Terms = c.Size(all...)
		switch {
		case sets[set] != a.key:
			r.Detail = "the query does not match its key"
		case a.is == smt.StepLimit, a.is == smt.Cancelled: // no answer to check
		default:
			recheckAnswer(ctx, &r, c, memo, a, all, newSolver)
		}
		tell(r)
	}
	return nil
}

func recheckAnswer(ctx context.Context, r *Recheck, c *smt.Context, memo *Memo, a *answer, all []smt.Term,
	newSolver NewSolver) {
	if a.is == smt.Sat {
		ev := c.NewEvaluator(memo.model(c, a.model))
		for _, t := range all {
			if !ev.EvalBool(t) {
				r.Detail = "the model does not satisfy its question"
				return
			}
		}
	}
	q := smt.NewQuestion(c, append([]smt.Term(nil), all...))
	q.Simplify()
	o, _ := New(c, newSolver, Options{}).solve(ctx, q, Question{Budget: recheckBudget, Cases: true}, split{})
	r.Got = o.Answer
	switch {
	case r.Got != smt.Sat && r.Got != smt.Unsat:
		r.Undecided = true
	case r.Got != a.is:
		r.Detail = fmt.Sprintf("cached as %s, but the solver answers %s", a.is, r.Got)
	}
}

// digestSets returns the keys of the sets.
func digestSets(c *smt.Context, canon *smt.Canon, terms []smt.Term, sets []wireSet) ([]smt.Digest, error) {
	out := make([]smt.Digest, len(sets))
	for i, s := range sets {
		var own, below []smt.Digest
		var list []smt.Term
		for _, t := range s.Terms {
			if int(t) >= len(terms) {
				return nil, errors.New("answers: a term out of range")
			}
			list = append(list, terms[t])
			own = append(own, canon.Hash(terms[t]))
		}
		for _, sub := range s.Subsets {
			if int(sub) >= i {
				return nil, errors.New("answers: a set out of range")
			}
			below = append(below, out[sub])
		}
		if (s.Kind == kindExact || s.Kind == kindWaiting) && len(s.Subsets) == 1 {
			for _, t := range sets[s.Subsets[0]].Terms {
				list = append(list, terms[t])
			}
			own, below = []smt.Digest{c.ExactDigest(list)}, nil
		}
		out[i] = smt.SetDigest(s.Kind, own, below)
	}
	return out, nil
}

// closure returns the terms of a set and of all its subsets.
func closure(terms []smt.Term, sets []wireSet, set int) []smt.Term {
	seen := map[int]bool{set: true}
	todo := []int{set}
	var out []smt.Term
	for len(todo) > 0 {
		s := sets[todo[len(todo)-1]]
		todo = todo[:len(todo)-1]
		for _, t := range s.Terms {
			out = append(out, terms[t])
		}
		for _, sub := range s.Subsets {
			if !seen[int(sub)] {
				seen[int(sub)] = true
				todo = append(todo, int(sub))
			}
		}
	}
	return out
}
