package invariant

import (
	"github.com/unitproof/unitproof/vcgen/mem"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// Terms finds and replaces symbols in terms that read memory, including the offsets of these reads.
type Terms struct {
	c      *smt.Context
	memory *mem.Memory
	reads  map[smt.Term]mem.Reading // by their values
	known  int                      // number of memory's readings that are in reads
}

// NewTerms returns a Terms for terms over one memory.
func NewTerms(c *smt.Context, memory *mem.Memory) *Terms {
	return &Terms{c: c, memory: memory, reads: map[smt.Term]mem.Reading{}}
}

// learn adds the new readings.
func (x *Terms) learn() {
	for rs := x.memory.Reads; x.known < len(rs); x.known++ {
		x.reads[rs[x.known].Value] = rs[x.known]
	}
}

// Read returns the read of arbitrary content whose value is t, if there is one.
func (x *Terms) Read(t smt.Term) (mem.Reading, bool) {
	x.learn()
	r, ok := x.reads[t]
	return r, ok
}

// Reads returns the outermost reads of arbitrary content in a term.
func (x *Terms) Reads(t smt.Term) []mem.Reading {
	var out []mem.Reading
	x.visit(t, func(t smt.Term) []smt.Term {
		if r, ok := x.reads[t]; ok {
			out = append(out, r)
			return nil
		}
		return x.c.Args(t)
	})
	return out
}

// maxSize is the number of subterms at which Size stops counting. Its callers compare sizes with small limits, while
// the conditions of a recursive program have 100,000 subterms and are measured thousands of times.
const maxSize = 1000

// Size returns the number of different subterms of t, at most maxSize. A read of arbitrary content counts as one term
// over its offset, whatever it takes to put its bytes together.
func (x *Terms) Size(t smt.Term) (n int) {
	x.visit(t, func(t smt.Term) []smt.Term {
		if n == maxSize {
			return nil
		}
		n++
		if r, ok := x.reads[t]; ok {
			return []smt.Term{r.Off}
		}
		return x.c.Args(t)
	})
	return n
}

// visit calls of for t and for all terms that of returns, each once.
func (x *Terms) visit(t smt.Term, of func(t smt.Term) []smt.Term) {
	x.learn()
	seen := map[smt.Term]bool{}
	for stack := []smt.Term{t}; len(stack) > 0; {
		t := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if !seen[t] {
			seen[t] = true
			stack = append(stack, of(t)...)
		}
	}
}

// Replace substitutes symbols by terms.
func (x *Terms) Replace(t smt.Term, vars map[smt.Term]smt.Term) smt.Term {
	return x.replace(t, vars, map[smt.Term]smt.Term{})
}

func (x *Terms) replace(t smt.Term, vars, memo map[smt.Term]smt.Term) smt.Term {
	x.learn()
	return x.c.Rewrite(t, memo, func(t smt.Term) (smt.Term, bool) {
		if v, ok := vars[t]; ok {
			return v, true
		}
		if r, ok := x.reads[t]; ok {
			if off := x.replace(r.Off, vars, memo); off != r.Off {
				return x.memory.ReadArbitrary(r.Func, off, r.N), true
			}
		}
		return 0, false
	})
}

// State is a state in which a loop head is reached, on entry or at a back edge. It maps the symbols and content of the
// state at the head to their values there.
type State struct {
	terms    *Terms
	vars     map[smt.Term]smt.Term
	contents map[smt.Func]*mem.Version
	memo     map[smt.Term]smt.Term
}

func newState(terms *Terms) *State {
	return &State{terms: terms, vars: map[smt.Term]smt.Term{}, contents: map[smt.Func]*mem.Version{},
		memo: map[smt.Term]smt.Term{}}
}

// Evaluate evaluates a term over the head's state in this state.
func (s *State) Evaluate(t smt.Term) smt.Term {
	m, c := s.terms.memory, s.terms.c
	s.terms.learn()
	return c.Rewrite(t, s.memo, func(x smt.Term) (smt.Term, bool) {
		if v, ok := s.vars[x]; ok {
			return v, true
		}
		if r, ok := s.terms.reads[x]; ok {
			if v := s.contents[r.Func]; v != nil {
				return m.Read(v, s.Evaluate(r.Off), r.N), true
			}
		}
		if c.Op(x) == smt.OpApply {
			if v := s.contents[c.FuncOf(x)]; v != nil {
				off := c.Concat(s.Evaluate(c.Arg(x, 0)), c.Int(3, 0))
				return m.Read(v, c.Extract(off, m.Width-1, 0), 8), true
			}
		}
		return 0, false
	})
}
