package unfold

import (
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/mem"
	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// A contract is proved once and used at calls of which nothing is known but that they meet what it requires. The proof
// makes an object for each __CPROVER_is_fresh; a call may pass a part of a larger one, or a variable. And it lets a
// pointer of which nothing is required be any address, which may be that of an object at a call. Where the program asks
// which object a pointer points to, the proof therefore has to hold for all answers. An execution in which the answer
// is another than that for the object that was made is one that the interpreter cannot run: Elsewhere is true then.

// ContractsUsed is what a program tells of the contracts in it.
type ContractsUsed struct {
	// Elsewhere are Booleans that are true only in executions that a caller of a contract may have and its proof has not.
	Elsewhere []smt.Term
	// Uses are the contracts that are assumed, in the order in which they are met.
	Uses []Use
}

// contracts are what a run knows of the contracts under way.
type contracts struct {
	ofContract bool // the program is the proof of a contract
	// aroundObject and aroundPointer are what its pointers may point into elsewhere.
	aroundObject  map[int]*surroundings
	aroundPointer map[smt.Term]*surroundings
	uses          map[useKey]int // their places in Program.Uses, from 1
}

func newContracts() contracts {
	return contracts{aroundObject: map[int]*surroundings{}, aroundPointer: map[smt.Term]*surroundings{},
		uses: map[useKey]int{}}
}

// surroundings are what may lie around bytes that were required, or what an arbitrary address may point into.
type surroundings struct {
	elsewhere smt.Term // Boolean: they are other ones than those of an object of its own
	// before and behind are bytes, of 64 bits; number tells objects apart.
	before, behind, number smt.Term
}

// maxAround bounds what lies before and behind, in bytes: less than half of the address space.
const maxAround = 1 << 46

// newSurroundings are arbitrary ones; origin: nothing lies before.
func (r *run) newSurroundings(name string, origin bool) *surroundings {
	c := r.c
	s := &surroundings{elsewhere: c.Var(name+" elsewhere", smt.Bool), before: c.Int(64, 0),
		behind: c.Var(name+" behind", smt.BV(64)), number: c.Var(name+" number", smt.BV(64))}
	if !origin {
		s.before = c.Var(name+" before", smt.BV(64))
	}
	around, top := c.Int(64, maxAround), c.Int(64, 1<<63)
	r.log.Events = append(r.log.Events, seair.Event{Kind: seair.Axiom, Guard: c.True(), Cond: c.And(
		c.Ule(s.before, around), c.Ule(s.behind, around), c.Ult(s.number, top), c.Ne(s.number, c.Int(64, 0)))})
	r.prog.Elsewhere = append(r.prog.Elsewhere, s.elsewhere)
	return s
}

// around are the surroundings of an object; nil: it is known as a whole.
func (r *run) around(id int) *surroundings {
	o := r.mem.Objects[id]
	if !o.Part && !o.Spare {
		return nil
	}
	if r.aroundObject[id] == nil {
		r.aroundObject[id] = r.newSurroundings(o.Name, !o.Part)
	}
	return r.aroundObject[id]
}

// aroundAddress are those of what an arbitrary address may point into, in the proof of a contract; nil elsewhere, where
// such an address is one in no object.
func (cc *callCtx) aroundAddress(ptr smt.Term) *surroundings {
	r := cc.r()
	if !r.ofContract || cc.p.st.Limits.Assuming > 0 { // then known has made it unknown
		return nil
	}
	if r.aroundPointer[ptr] == nil {
		r.aroundPointer[ptr] = r.newSurroundings("address", false)
	}
	return r.aroundPointer[ptr]
}

// answer is what a primitive answers, given its answer for objects as they were made, and others elsewhere: of a
// candidate of the pointer, where that is one.
func (cc *callCtx) answer(ptr, exact smt.Term, elsewhere func(x mem.Candidate, s *surroundings, size smt.Term) smt.Term,
) smt.Term {
	r, c := cc.r(), cc.c()
	t := exact
	for _, x := range r.mem.Candidates(ptr) {
		if x.Obj == mem.None {
			wild := c.And(x.Cond, c.Ne(x.Off, c.Int(64, 0)))
			if c.IsFalse(wild) {
				continue
			}
			if s := cc.aroundAddress(ptr); s != nil {
				x.Off = c.Int(64, 0)
				t = c.Ite(c.And(wild, s.elsewhere), elsewhere(x, s, c.Int(64, 0)), t)
			}
			continue
		}
		if s := r.around(x.Obj); s != nil {
			t = c.Ite(c.And(x.Cond, s.elsewhere), elsewhere(x, s, r.mem.Objects[x.Obj].Size), t)
		}
	}
	return t
}

// dereferenceable tells whether n bytes at ptr may be accessed (language.Dereferenceable).
func (cc *callCtx) dereferenceable(known language.Entry, ptr, n smt.Term) smt.Term {
	r, c := cc.r(), cc.c()
	exact := r.mem.Dereferenceable(cc.p.st, ptr, n)
	if known.Dialect == language.Contract { // which asks for bytes that are known to be there
		return exact
	}
	return cc.answer(ptr, exact, func(x mem.Candidate, s *surroundings, size smt.Term) smt.Term {
		at := c.Add(s.before, x.Off)
		whole := c.Add(s.before, c.Add(size, s.behind))
		fits := c.And(c.Sge(n, c.Int(64, 0)), c.Ule(at, whole), c.Ule(n, c.Sub(whole, at)))
		if x.Obj != mem.None {
			fits = c.And(fits, r.mem.Live(cc.p.st, x.Obj))
		}
		return fits
	})
}
