package fuzz

import (
	"context"
	"maps"
	"slices"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/interp"
)

// Some conditions are unlikely to be satisfied by a single guess, but by a few successive ones: a text begins with a
// quote, is long, and ends with a backslash. Therefore choices of executions that reached new blocks are kept, and
// half of the following executions are small mutations of kept choices (Zalewski, AFL, 2013; Böhme, Pham,
// Roychoudhury, "Coverage-based greybox fuzzing as Markov chain", CCS 2016). An execution is new if it enters a block
// about as often as none before; so texts that iterate a loop more often are kept, too.

// maxKept bounds the number of kept executions, maxKeptSize their total number of answers and bytes, and largestKept
// that of a single one.
const (
	maxKept     = 256
	maxKeptSize = 1 << 20
	largestKept = 1 << 16
)

// guide has the kept executions and mutates them. The zero value has none.
type guide struct {
	visits interp.Visits
	corpus []corpusEntry
	size   int // of all kept executions

	// State of the current execution:
	planned choice.Queues[*choice.Choice] // answers to the next questions; nil: random answers
	matched []byte                        // bytes with which the kept execution compared
	last    bool                          // only the last byte of content is changed
	numbers bool                          // some numbers are changed
}

// corpusEntry is a kept execution.
type corpusEntry struct {
	choices choice.Queues[*choice.Choice] // by question
	matched []byte                        // bytes with which the entered blocks compare
	size    int
}

// Guide makes half of the following executions mutations of kept ones.
func (x *Inputs) Guide() { x.guide = &guide{} }

// Visits records the blocks that the interpreter enters; nil if the executions are not guided.
//
// If it reports that an execution is new, the execution should be kept.
func (x *Inputs) Visits() *interp.Visits {
	if x.guide == nil {
		return nil
	}
	return &x.guide.visits
}

// begin selects the kept execution that the next one mutates, if any, by random choices of x.
func (g *guide) begin(x *Inputs) {
	g.planned = nil
	if len(g.corpus) == 0 || x.below(2) == 0 {
		return
	}
	at := len(g.corpus) - 1 - x.below(len(g.corpus))*x.below(len(g.corpus))/len(g.corpus)
	g.planned, g.matched = maps.Clone(g.corpus[at].choices), g.corpus[at].matched
	g.last = x.below(2) == 0
	g.numbers = x.below(2) == 0
}

// choose answers a question; at random if the kept execution has no answer.
func (g *guide) choose(x *Inputs, q choice.Question) choice.Answer {
	c, ok := g.planned.Next(q.Key())
	switch {
	case !ok, !q.Content && g.numbers && x.below(8) == 0:
		return x.any(q)
	case !q.Content:
		return choice.Answer{Value: c.Value}
	}
	return choice.Answer{Content: x.changed(c.Bytes)}
}

// Keep stores the choices of an execution that has just ended by executing it again.
//
// It returns the number of instructions executed.
func (x *Inputs) Keep(ctx context.Context, m *clangir.Module, entry string, seed uint64, opts interp.Options) int64 {
	opts.Visits = nil
	x.Begin(seed)
	tape := &choice.List{}
	out := interp.Run(ctx, m, entry, tape.Record(x.Choose), opts)
	k := corpusEntry{choices: choice.Queues[*choice.Choice]{}}
	for _, c := range tape.Choices {
		k.choices.Add(c.Key(), c)
		k.size += 1 + len(c.Bytes)
	}
	if k.size > largestKept {
		return out.Cost()
	}
	g := x.guide
	for len(g.corpus) == maxKept || g.size+k.size > maxKeptSize {
		g.size -= g.corpus[0].size
		g.corpus = slices.Delete(g.corpus, 0, 1)
	}
	for _, id := range g.visits.Last() {
		for _, b := range x.matchedIn[id] {
			if !slices.Contains(k.matched, b) {
				k.matched = append(k.matched, b)
			}
		}
	}
	g.corpus = append(g.corpus, k)
	g.size += k.size
	return out.Cost()
}

// changed returns content with small changes: up to three other bytes, or all bytes from some offset on.
//
// Most changes are near the last byte that was read, because its value decided the path of the execution.
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

// byte returns a replacement for a byte: most often a byte with which the program compares.
//
// In some of them a bit is flipped, because bytes are also compared under masks.
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
