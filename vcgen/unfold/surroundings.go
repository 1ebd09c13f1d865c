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
	// Elsewhere are the executions that the program may have and the interpreter cannot run.
	Elsewhere []Elsewhere
	// Uses are the contracts that are assumed, in the order in which they are met.
	Uses []Use
}

// Elsewhere is a Boolean that is true only in executions in which a pointer belongs to another object than the model
// has for it. By is the function, or the label, that leaves the object open, "" if that is a caller of a contract.
type Elsewhere struct {
	When smt.Term
	By   string
}

// contracts are what a run knows of the contracts under way.
type contracts struct {
	// aroundObject and aroundPointer are what its pointers may point into elsewhere.
	aroundObject  map[int]*surroundings
	aroundPointer map[smt.Term]*surroundings
	uses          map[useKey]int // their places in Program.Uses, from 1
	// leftOpen are the variables in registers that a loop's contract makes arbitrary.
	leftOpen map[*seair.Input]mem.Origin
}

func newContracts() contracts {
	return contracts{aroundObject: map[int]*surroundings{}, aroundPointer: map[smt.Term]*surroundings{},
		uses: map[useKey]int{}, leftOpen: map[*seair.Input]mem.Origin{}}
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
func (r *run) newSurroundings(name, by string, origin bool) *surroundings {
	c := r.c
	s := &surroundings{elsewhere: r.elsewhere(name, by), before: c.Int(64, 0),
		behind: c.Var(name+" behind", smt.BV(64)), number: c.Var(name+" number", smt.BV(64))}
	if !origin {
		s.before = c.Var(name+" before", smt.BV(64))
	}
	around, top := c.Int(64, maxAround), c.Int(64, 1<<63)
	r.log.Events = append(r.log.Events, seair.Event{Kind: seair.Axiom, Guard: c.True(), Cond: c.And(
		c.Ule(s.before, around), c.Ule(s.behind, around), c.Ult(s.number, top), c.Ne(s.number, c.Int(64, 0)))})
	return s
}

// elsewhere makes a Boolean of Program.Elsewhere.
func (r *run) elsewhere(name, by string) smt.Term {
	t := r.c.Var(name+" elsewhere", smt.Bool)
	r.prog.Elsewhere = append(r.prog.Elsewhere, Elsewhere{t, by})
	return t
}

// around are the surroundings of an object; nil: it is known as a whole.
func (r *run) around(id int) *surroundings {
	o := r.mem.Objects[id]
	if !o.Part && !o.Spare {
		return nil
	}
	if r.aroundObject[id] == nil {
		r.aroundObject[id] = r.newSurroundings(o.Name, "", !o.Part)
	}
	return r.aroundObject[id]
}

// aroundAddress returns the surroundings of the object that an address of unknown origin may point into.
func (r *run) aroundAddress(ptr smt.Term) *surroundings {
	if r.aroundPointer[ptr] == nil {
		r.aroundPointer[ptr] = r.newSurroundings("address", r.leftOpenBy(ptr), false)
	}
	return r.aroundPointer[ptr]
}

// mayBelongTo returns the objects that the unknown addresses in t may belong to, ascending.
func (r *run) mayBelongTo(st *mem.State, origins []mem.Origin) []int {
	var out []int
	for id, o := range r.mem.Objects {
		if o.Kind == mem.Function || st.Content(id) == nil {
			continue
		}
		for _, from := range origins {
			known := from.Known == mem.ByAny || r.escaped[id] == given ||
				from.Known == mem.ByMissingBody && r.escaped[id] == lent
			if id < from.Before && known || from.Known != mem.ByAny && r.isShared(id) {
				out = append(out, id)
				break
			}
		}
	}
	return out
}

// leftOpenBy returns the name of a function that leaves open which object an address belongs to, "" for a caller.
func (r *run) leftOpenBy(ptr smt.Term) string {
	for _, o := range r.mem.Origins(ptr) {
		if o.By != "" {
			return o.By
		}
	}
	return ""
}

// answer is what a primitive answers, given its answer for objects as they were made, and others elsewhere: of a
// candidate of the pointer, where that is one.
func (cc *callCtx) answer(ptr, exact smt.Term, elsewhere func(x mem.Candidate, s *surroundings, size smt.Term) smt.Term,
) smt.Term {
	r, c := cc.r(), cc.c()
	t := exact
	unknown := func(when smt.Term) {
		if cc.p.st.Limits.Assuming > 0 { // then known has made it unknown
			return
		}
		s := r.aroundAddress(ptr)
		x := mem.Candidate{Cond: when, Obj: mem.None, Off: c.Int(64, 0)}
		t = c.Ite(c.And(when, s.elsewhere), elsewhere(x, s, c.Int(64, 0)), t)
	}
	for _, x := range r.mem.Candidates(ptr, unknown) {
		if x.Obj == mem.None {
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
