package fuzz

import (
	"context"
	"maps"
	"slices"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/interp"
)

// What no single guess hits, a few guesses one after the other do: that a text begins with a quote, is long, and ends
// with a backslash. So choices of executions that got to where none before them did are kept, and half of the next
// executions are such choices with small changes (Zalewski, AFL, 2013; Böhme, Pham, Roychoudhury, "Coverage-based
// greybox fuzzing as Markov chain", CCS 2016). Which blocks were entered, and about how often, is what counts: so a
// text that goes through a loop more often is kept, too.

// maxKept bounds how many executions are kept, maxKeptSize how many answers and bytes all of them have, and of one
// that is kept largestKept.
const (
	maxKept     = 256
	maxKeptSize = 1 << 20
	largestKept = 1 << 16
)

// guide has the executions that are kept, and changes them. The zero value has none.
type guide struct {
	visits interp.Visits
	kept   []kept
	size   int // of all that are kept

	// Of this execution:
	left    choice.Queues[*choice.Choice] // what the next questions are answered with; nil: at random
	matched []byte                        // with what the kept one compared
	last    bool                          // the last byte of content is changed, and nothing else of it
	numbers bool                          // some numbers are changed
}

// kept is an execution.
type kept struct {
	choices choice.Queues[*choice.Choice] // by questions
	matched []byte                        // with what the blocks that it entered compare
	size    int
}

// Guide has half of the executions from now on be changes of others that got somewhere.
func (x *Inputs) Guide() { x.guide = &guide{} }

// Visits notes, for the interpreter, where executions get; nil where they are not guided. Where it says that one got to
// where none before it did, that one is to be kept.
func (x *Inputs) Visits() *interp.Visits {
	if x.guide == nil {
		return nil
	}
	return &x.guide.visits
}

// begin picks what the next execution, of random choices by x, begins from.
func (g *guide) begin(x *Inputs) {
	g.left = nil
	if len(g.kept) == 0 || x.below(2) == 0 {
		return
	}
	at := len(g.kept) - 1 - x.below(len(g.kept))*x.below(len(g.kept))/len(g.kept)
	g.left, g.matched = maps.Clone(g.kept[at].choices), g.kept[at].matched
	g.last = x.below(2) == 0
	g.numbers = x.below(2) == 0
}

// choose answers a question, at random where what is kept has no answer.
func (g *guide) choose(x *Inputs, q choice.Question) choice.Answer {
	c, ok := g.left.Next(q.Key())
	switch {
	case !ok, !q.Content && g.numbers && x.below(8) == 0:
		return x.any(q)
	case !q.Content:
		return choice.Answer{Value: c.Value}
	}
	return choice.Answer{Content: x.changed(c.Bytes)}
}

// Keep keeps the choices of an execution that has just ended, by executing it again, and returns how many instructions
// that took.
func (x *Inputs) Keep(ctx context.Context, m *clangir.Module, entry string, seed uint64, opts interp.Options) int64 {
	opts.Visits = nil
	x.Begin(seed)
	tape := &choice.List{}
	out := interp.Run(ctx, m, entry, tape.Record(x.Choose), opts)
	k := kept{choices: choice.Queues[*choice.Choice]{}}
	for _, c := range tape.Choices {
		k.choices.Add(c.Key(), c)
		k.size += 1 + len(c.Bytes)
	}
	if k.size > largestKept {
		return out.Executed
	}
	g := x.guide
	for len(g.kept) == maxKept || g.size+k.size > maxKeptSize {
		g.size -= g.kept[0].size
		g.kept = slices.Delete(g.kept, 0, 1)
	}
	for _, id := range g.visits.Last() {
		for _, b := range x.matchedIn[id] {
			if !slices.Contains(k.matched, b) {
				k.matched = append(k.matched, b)
			}
		}
	}
	g.kept = append(g.kept, k)
	g.size += k.size
	return out.Executed
}

// changed is content with small changes: up to three bytes are others, or all from somewhere on. Most of them are near
// the last byte that was looked at, where the execution decided to go where it went.
func (x *Inputs) changed(bytes map[uint64]byte) func(off uint64) byte {
	top := uint64(0)
	for off := range bytes {
		top = max(top, off)
	}
	rest := x.content()
	if x.below(2) == 0 {
		b := x.byte(byte(x.next()))
		rest = func(uint64) byte { return b }
	}
	place := func() uint64 {
		switch x.below(4) {
		case 0:
			return top
		case 1:
			return top - min(top, uint64(x.below(4)))
		}
		return x.next() % (top + 1)
	}
	from := top + 1
	set := map[uint64]byte{}
	if x.guide.last {
		set[top] = x.byte(bytes[top])
	} else if x.below(4) == 0 {
		from = place()
	} else {
		for range x.below(3) + 1 {
			at := place()
			set[at] = x.byte(bytes[at])
		}
	}
	return func(off uint64) byte {
		if b, ok := set[off]; ok {
			return b
		}
		if b, ok := bytes[off]; ok && off < from {
			return b
		}
		return rest(off)
	}
}

// byte is one in place of another: most often one that the program compares with, some with a bit that is changed,
// since bytes are compared under masks, too.
func (x *Inputs) byte(old byte) byte {
	b := old
	switch m := x.guide.matched; {
	case len(m) > 0 && x.below(2) == 0:
		b = m[x.below(len(m))]
	case len(x.matched) > 0 && x.below(2) == 0:
		b = x.matched[x.below(len(x.matched))]
	case x.below(2) == 0:
		return byte(x.next())
	}
	if x.below(4) == 0 {
		b ^= 1 << x.below(8)
	}
	return b
}
