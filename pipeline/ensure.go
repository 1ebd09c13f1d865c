package pipeline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline/harness"
	"github.com/unitproof/unitproof/pipeline/precondition"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Ensured holds facts about the values behind a call of the function under proof. Each one is proved; the ones that
// notice most changes of the code come first.
type Ensured struct {
	Proof    string `json:"proof"`
	Entry    string `json:"entry"`
	Function string `json:"function,omitempty"` // the called function
	// The statement with the call, from (Line, Column) to (EndLine, EndColumn), which is not part of it.
	File      string          `json:"file"`
	Line      int             `json:"line,omitempty"`
	Column    int             `json:"column,omitempty"`
	EndLine   int             `json:"end_line,omitempty"`
	EndColumn int             `json:"end_column,omitempty"`
	Facts     []Postcondition `json:"postconditions"`
	// Idle is the number of further facts that are true, and that no tried change violates.
	Idle int `json:"idle,omitempty"`
	// Changes is the number of changes of the code that were tried and that the proof does not notice by itself.
	Changes int `json:"changes"`
	// Reason is why there are no facts, or why there may be more.
	Reason string `json:"reason,omitempty"`
	Checks int    `json:"checks"`
	MS     int64  `json:"ms"`

	call *callStatement
	text []byte // of the file
}

// Of reports whether the facts were found for a text of the file.
func (e *Ensured) Of(text []byte) bool { return bytes.Equal(e.text, text) }

// Postcondition is a fact that holds in all executions of a proof.
type Postcondition struct {
	Condition string `json:"condition"`
	// Text is the statement with the call, and the statements that store values before it and assert the fact behind it.
	Text string `json:"text"`
	// Notices is the number of changes of the code that violate the fact, of those that the proof does not notice.
	Notices int `json:"notices"`
	// Bounded: the fact holds as far as loops were unrolled.
	Bounded bool `json:"bounded,omitempty"`

	is       *precondition.Condition // nil for conditions that are calls
	score    float64
	violated map[int]bool // changes, by number
}

// Effect returns the outcome of the trials with changes, as a phrase.
func (e *Ensured) Effect(f *Postcondition) string {
	text := "proved"
	if f.Bounded {
		text = "holds as far as loops are unrolled"
	}
	if e.Changes > 0 {
		text += fmt.Sprintf("; notices %d of %d changes that the proof does not notice", f.Notices, e.Changes)
	}
	return text
}

// EnsureOptions bound a search for facts. Zero values are defaults.
type EnsureOptions struct {
	Most    int           // facts that are returned
	Changes int           // changes of the code that rank them; negative: none
	Time    time.Duration // CPU time of all checks
}

const (
	ensureMost    = 8
	ensureChanges = 24
	ensureTime    = 40 * time.Second
	// ensureSearch is the share of the time after which no further facts are tried: the rest is for ranking.
	ensureSearch = 0.6
	ensureChunk  = 40 // candidates that are checked together
	ensureSmall  = 5  // the same, if time is short
	ensureRuns   = 3  // executions that are taken from a check
	maxBehind    = 14 // values that a call may change
	maxIdle      = 3  // facts that are returned if no change violates any
)

// Ensure finds facts about the values behind a call of the function under proof. Each one is checked: it holds in all
// executions of the proof. The error is for the user; a proof without such facts is no error.
func (l *Pool) Ensure(ctx context.Context, j Job, p *diagnostics.Proof, opts EnsureOptions) (*Ensured, error) {
	if opts.Most <= 0 {
		opts.Most = ensureMost
	}
	if opts.Changes == 0 {
		opts.Changes = ensureChanges
	}
	if opts.Time <= 0 {
		opts.Time = ensureTime
	}
	began := time.Now()
	j.Proof.Timeout = min(j.Proof.Timeout, max(opts.Time/4, leastCheck))
	e := &ensurer{opts: opts, excluder: excluder{pool: l, job: j, budget: budget{total: opts.Time, run: l.Check}, proof: p,
		out: &Exclusion{}},
		ensured: &Ensured{Proof: p.Name, Entry: p.Entry, File: p.File, Facts: []Postcondition{}}}
	err := e.search(ctx)
	out := e.ensured
	out.Checks, out.MS = e.out.Checks, time.Since(began).Milliseconds()
	var none noConditions
	if errors.As(err, &none) {
		out.Reason, err = string(none), nil
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return out, err
}

// ensurer is a search for facts behind a call. Of excluder it uses the text of the proof and its checks.
type ensurer struct {
	excluder
	opts    EnsureOptions
	ensured *Ensured
	call    *callStatement
	outcome precondition.Outcome
	states  []precondition.State // of executions
	size    int                  // candidates that are checked together
	// searching is the time after which no further facts are tried.
	searching time.Duration
	holding   []Postcondition
}

func (e *ensurer) search(ctx context.Context) error {
	if v := e.proof.Verdict; v != found.Proved && v != found.Bounded {
		return noConditions(fmt.Sprintf("the proof is %s: facts are looked for once it is proved", v))
	}
	if err := e.read(); err != nil {
		return err
	}
	if err := e.findCall(ctx); err != nil {
		return err
	}
	if err := e.values(ctx); err != nil {
		return err
	}
	e.searching, e.size = time.Duration(float64(e.opts.Time)*ensureSearch), ensureChunk
	rest := e.candidates()
	for len(rest) > 0 && ctx.Err() == nil {
		if e.budget.spent > e.searching {
			e.ensured.Reason = fmt.Sprintf("the search stopped after %s; further facts may hold", e.searching)
			break
		}
		var chunk []Postcondition
		chunk, rest = e.next(rest)
		e.try(ctx, chunk)
	}
	e.drop()
	if len(e.holding) == 0 {
		if e.ensured.Reason == "" {
			e.ensured.Reason = "no simple fact about the values behind the call holds"
		}
		return ctx.Err()
	}
	e.rankFacts(ctx)
	return ctx.Err()
}

// next returns the next candidates to be checked, and the rest, without those that are false in a known execution or
// follow from a fact.
func (e *ensurer) next(list []Postcondition) (chunk, rest []Postcondition) {
	for i, c := range list {
		if len(chunk) == e.size {
			return chunk, list[i:]
		}
		if c.is == nil || e.possible(&c) {
			chunk = append(chunk, c)
		}
	}
	return chunk, nil
}

// possible reports whether a candidate holds in all known executions and does not follow from a known fact.
func (e *ensurer) possible(c *Postcondition) bool {
	return !slices.ContainsFunc(e.states, func(s precondition.State) bool { return !c.is.Holds(s) }) &&
		!slices.ContainsFunc(e.holding, func(f Postcondition) bool { return f.is != nil && f.is.Implies(c.is) })
}

// try checks candidates together: an execution chooses one of them, asserts it and ends.
func (e *ensurer) try(ctx context.Context, chunk []Postcondition) {
	if len(chunk) == 0 || ctx.Err() != nil {
		return
	}
	text, first := e.call.checked(e.text, chunk)
	proof, virtual := e.check(ctx, text)
	if proof.Verdict == found.Error {
		if len(chunk) > 1 {
			e.try(ctx, chunk[:len(chunk)/2])
			e.try(ctx, chunk[len(chunk)/2:])
		}
		return
	}
	if len(e.unreadable(proof)) > 0 {
		return // what holds behind an invalid read says nothing
	}
	taken := 0
	var open []Postcondition
	for i := range chunk {
		assertion, sound := (*diagnostics.Finding)(nil), true
		for k := range proof.Obligations {
			f := &proof.Obligations[k]
			if e.lineInEntry(f) != first+i {
				continue
			}
			if f.Kind == found.Assertion && f.Function == e.proof.Entry && f.Line == first+i {
				assertion = f
			} else if f.Verdict != found.Proved && f.Verdict != found.Unreached && f.Verdict != found.Bounded {
				sound = false
			}
		}
		switch {
		case assertion == nil:
		case assertion.Verdict == found.Unknown:
			open = append(open, chunk[i])
		case sound && (assertion.Verdict == found.Proved || assertion.Verdict == found.Bounded):
			fact := chunk[i]
			fact.Bounded = assertion.Verdict == found.Bounded
			e.holding = append(e.holding, fact)
		case assertion.Verdict == found.Failed && taken < ensureRuns && chunk[i].is != nil && e.anyPossible(chunk[i:]):
			if e.learnState(ctx, virtual, assertion) {
				taken++
			}
		}
	}
	if len(open) > 1 && len(chunk) > ensureSmall { // fewer at once have more time each
		e.size = max(min(e.size, len(chunk)/4), ensureSmall)
		for part := range slices.Chunk(open, e.size) {
			if e.budget.spent < e.searching {
				e.try(ctx, slices.DeleteFunc(part, func(c Postcondition) bool { return c.is != nil && !e.possible(&c) }))
			}
		}
	}
}

// anyPossible reports whether a candidate is left that executions may exclude.
func (e *ensurer) anyPossible(list []Postcondition) bool {
	return slices.ContainsFunc(list, func(c Postcondition) bool { return c.is == nil || e.possible(&c) })
}

// learnState adds the values behind the call in an execution that violates an assertion there. It reports whether they
// are known.
func (e *ensurer) learnState(ctx context.Context, virtual map[string][]byte, f *diagnostics.Finding) bool {
	if len(f.Run.Tape) == 0 {
		return false
	}
	run, err := e.record(ctx, virtual, f)
	if err != nil {
		return false
	}
	if err := run.GoTo(run.End()); err != nil {
		return false
	}
	frame, ok := e.entryFrame(run)
	if !ok {
		return false
	}
	s := make(precondition.State, len(e.outcome.Vars))
	for i := range e.outcome.Vars {
		s[i] = valueOf(run, frame, &e.outcome.Vars[i])
	}
	e.states = append(e.states, s)
	return true
}

// candidates returns the facts to be tried, the simplest first.
func (e *ensurer) candidates() (list []Postcondition) {
	for _, c := range precondition.Postconditions(e.outcome) {
		list = append(list, Postcondition{Condition: c.Text(), is: c, score: c.Score()})
	}
	return append(e.calls(), list...)
}

// calls returns candidates that call functions: fresh memory, blocks of members, and idempotence.
func (e *ensurer) calls() (list []Postcondition) {
	c := e.call
	add := func(condition string) { list = append(list, Postcondition{Condition: condition, score: callScore}) }
	for _, condition := range c.blocks() {
		add(condition)
	}
	if c.result == "" {
		return list
	}
	if t := c.resultType; t.Kind == llvmir.DIPointer {
		sizes := []string{}
		if t.Elem != nil && t.Elem.Bits > 0 {
			sizes = append(sizes, "sizeof *"+c.result)
		}
		for i := range e.outcome.Vars {
			if v := &e.outcome.Vars[i]; v.Input && !v.Pointer && !v.Bool && v.Enum == nil && v.Bits >= 32 {
				sizes = append(sizes, v.Text, v.Text+" + 1")
			}
		}
		for _, n := range sizes {
			add(fmt.Sprintf("%s == NULL || sea_is_dereferenceable(%s, %s)", c.result, c.result, n))
		}
		return list
	}
	for i, arg := range c.arguments { // f(f(x)) == f(x) of functions of numbers
		if i < len(c.function.Params) && c.scalar && i < len(c.argumentTypes) && c.argumentTypes[i] == c.resultType.Name {
			args := slices.Clone(c.arguments)
			args[i] = c.result
			add(fmt.Sprintf("%s(%s) == %s", c.name, strings.Join(args, ", "), c.result))
			if len(c.arguments) == 1 {
				add(fmt.Sprintf("%s(%s) == %s", c.name, c.result, arg))
			}
		}
	}
	return list
}

const callScore = 0.2 // of conditions that call functions

// lastName returns the name of a member: data of q->data.
func lastName(text string) string { return text[strings.LastIndexAny(text, ".>")+1:] }

// maxBlocks bounds the conditions about the blocks of members.
const maxBlocks = 24

// blocks returns the conditions that a pointer in a struct behind the call has a block of as many elements as a number
// beside it: q->data and q->cap. Then it returns them for pointers that may be NULL. Capacities come first, because the
// other numbers are at most these.
func (c *callStatement) blocks() []string {
	var list, unless []string // unless the pointer is NULL
	structOf := func(text string) string { return strings.TrimSuffix(text, lastName(text)) }
	for _, p := range c.stored {
		if p.typ.Kind != llvmir.DIPointer || p.typ.Elem == nil || p.typ.Elem.Bits == 0 || structOf(p.of) == "" {
			continue
		}
		numbers := slices.SortedStableFunc(slices.Values(c.stored), func(a, b storedValue) int {
			return harness.CapacityRank(lastName(b.of)) - harness.CapacityRank(lastName(a.of))
		})
		for _, n := range numbers {
			if n.typ.Kind != llvmir.DIInt || n.typ.Bits < 16 || structOf(n.of) != structOf(p.of) || len(list) == maxBlocks {
				continue
			}
			size := n.of
			if p.typ.Elem.Bits > 8 {
				size = "(size_t)" + n.of + " * sizeof *" + p.of
			}
			list = append(list, fmt.Sprintf("sea_is_dereferenceable(%s, %s)", p.of, size))
			unless = append(unless, fmt.Sprintf("%s == NULL || sea_is_dereferenceable(%s, %s)", p.of, p.of, size))
		}
	}
	return append(list, unless...)
}

// drop removes facts about values that the call does not change.
func (e *ensurer) drop() {
	unchanged := map[int]bool{}
	for i := range e.outcome.Vars {
		unchanged[i] = e.outcome.Vars[i].Input
	}
	if e.call.result != "" && slices.ContainsFunc(e.holding, func(f Postcondition) bool {
		return f.Condition == e.call.result+" != NULL"
	}) {
		for i := range e.holding {
			e.holding[i].Condition = strings.TrimPrefix(e.holding[i].Condition, e.call.result+" == NULL || ")
		}
	}
	same := map[string]bool{}
	for i, o := range e.outcome.Old {
		same[e.outcome.Vars[i].Text+" == "+e.outcome.Vars[o].Text] = true
	}
	for _, f := range e.holding {
		for i, o := range e.outcome.Old {
			if f.Condition == e.outcome.Vars[i].Text+" == "+e.outcome.Vars[o].Text {
				unchanged[i] = true
			}
		}
	}
	e.holding = slices.DeleteFunc(e.holding, func(f Postcondition) bool {
		return f.is != nil && !same[f.Condition] && f.is.UsesOnly(func(i int) bool { return unchanged[i] })
	})
	for i := len(e.holding) - 1; i >= 0; i-- { // found before the fact that implies it
		if f := e.holding[i]; f.is != nil && slices.ContainsFunc(e.holding, func(g Postcondition) bool {
			return g.is != nil && g.Condition != f.Condition && g.is.Implies(f.is) && !(f.is.Implies(g.is) && f.score <= g.score)
		}) {
			e.holding = slices.Delete(e.holding, i, i+1)
		}
	}
}

// rankFacts orders the facts by the changes of the code that they notice and the proof does not. A fact that notices
// nothing new comes later, one that notices nothing is only counted.
func (e *ensurer) rankFacts(ctx context.Context) {
	changes := 0
	if e.opts.Changes > 0 && e.proof.Verdict == found.Proved && ctx.Err() == nil {
		changes = e.mutants(ctx)
	}
	e.ensured.Changes = changes
	left, noticed := e.holding, map[int]bool{}
	added := func(f *Postcondition) (n int) {
		for m := range f.violated {
			if !noticed[m] {
				n++
			}
		}
		return n
	}
	for len(left) > 0 && len(e.ensured.Facts) < e.opts.Most {
		best := 0
		for i := range left {
			a, b := &left[i], &left[best]
			if n := added(a) - added(b); n > 0 || n == 0 && (len(a.violated) > len(b.violated) ||
				len(a.violated) == len(b.violated) && a.score < b.score) {
				best = i
			}
		}
		f := left[best]
		if changes > 0 && len(f.violated) == 0 && (len(noticed) > 0 || len(e.ensured.Facts) >= maxIdle) {
			break
		}
		left = slices.Delete(left, best, best+1)
		if len(f.violated) > 0 && slices.ContainsFunc(e.ensured.Facts, func(g Postcondition) bool {
			return maps.Equal(f.violated, g.violated)
		}) {
			continue
		}
		for m := range f.violated {
			noticed[m] = true
		}
		f.Notices, f.Text = len(f.violated), e.call.with(e.text, []string{f.Condition}, e.indent)
		e.ensured.Facts = append(e.ensured.Facts, f)
	}
	for i := range left {
		if len(left[i].violated) == 0 {
			e.ensured.Idle++
		}
	}
}

// mutants checks all facts with small changes of the code, and returns the number of the changes that the proof does
// not notice by itself.
func (e *ensurer) mutants(ctx context.Context) int {
	text, first := e.call.checked(e.text, e.holding)
	ctx, cancel := context.WithTimeout(ctx, e.budget.total-e.budget.spent)
	defer cancel()
	j := e.job
	virtual := map[string][]byte{}
	for path, t := range j.Virtual {
		virtual[path] = t
	}
	virtual[j.Proof.File] = text
	changes := 0
	_, err := e.pool.Strength(ctx, StrengthRequest{Settings: j.Settings, Proof: j.Proof,
		Define:  func(_ *project.Proof, names []string) map[string][]project.Unit { return j.Define(names) },
		Virtual: virtual, Max: e.opts.Changes, Marked: [2]int{first, first + len(e.holding) - 1},
		Tell: func(m diagnostics.Mutant) {
			switch {
			case m.Outcome == diagnostics.Killed && len(m.Lines) == 0, m.Outcome == diagnostics.Undecided:
				return
			}
			changes++
			for _, line := range m.Lines {
				f := &e.holding[line-first]
				if f.violated == nil {
					f.violated = map[int]bool{}
				}
				f.violated[changes] = true
			}
		}})
	if err != nil && e.ensured.Reason == "" {
		e.ensured.Reason = "not all changes were tried in time"
	}
	return changes
}
