package unfold

import (
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/mem"
	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// A contract is proved once and used at calls that are only known to satisfy its preconditions. The proof differs from
// a call in two ways:
//
//   - The proof allocates an object for each __CPROVER_is_fresh; a call may pass a part of a larger object, or a
//     variable.
//   - The proof lets a pointer without precondition be any address; at a call it may be the address of any object.
//
// Therefore, if the program asks for the object of a pointer, the proof has to hold for all answers. The interpreter
// cannot run an execution whose answer differs from the proof's own object: Elsewhere is true in such an execution.

// ContractsUsed describes the uses of contracts in a program.
type ContractsUsed struct {
	// Elsewhere are the conditions of executions that the program may have and the interpreter cannot run.
	Elsewhere []Elsewhere
	// Uses are the assumed contracts, in execution order.
	Uses []Use
}

// Elsewhere is a Boolean that is true only in executions in which a pointer belongs to another object than in the
// model. By is the function or label that leaves the object open, "" for a caller of a contract.
type Elsewhere struct {
	When smt.Term
	By   string
}

// contracts is the state of a run that concerns contracts.
type contracts struct {
	// aroundObject and aroundPointer describe the memory around objects and addresses that callers pass.
	aroundObject  map[int]*surroundings
	aroundPointer map[smt.Term]*surroundings
	uses          map[useKey]int // value: index in Program.Uses, plus 1
	// leftOpen are the variables in registers that a loop's contract makes arbitrary.
	leftOpen map[*seair.Input]mem.Origin
}

func newContracts() contracts {
	return contracts{aroundObject: map[int]*surroundings{}, aroundPointer: map[smt.Term]*surroundings{},
		uses: map[useKey]int{}, leftOpen: map[*seair.Input]mem.Origin{}}
}

// surroundings describe the memory that may lie around required bytes, or to which an arbitrary address may point.
type surroundings struct {
	elsewhere smt.Term // Boolean: they differ from the surroundings of a separate object
	// before and behind are numbers of bytes, of 64 bits; number identifies the object.
	before, behind, number smt.Term
}

// newSurroundings returns arbitrary surroundings; if origin is set, nothing lies before the bytes.
func (r *run) newSurroundings(name, by string, origin bool) *surroundings {
	c := r.c
	s := &surroundings{elsewhere: r.elsewhere(name, by), before: r.mem.Int(0),
		behind: c.Var(name+" behind", smt.BV(r.mem.Width)), number: c.Var(name+" number", smt.BV(r.mem.Width))}
	if !origin {
		s.before = c.Var(name+" before", smt.BV(r.mem.Width))
	}
	around, top := r.mem.Int(r.mem.Space.MaxAround), r.mem.Int(1<<(r.mem.Width-1))
	r.log.Events = append(r.log.Events, seair.Event{Kind: seair.Axiom, Guard: c.True(), Cond: c.And(
		c.Ule(s.before, around), c.Ule(s.behind, around), c.Ult(s.number, top), c.Ne(s.number, r.mem.Int(0)))})
	return s
}

// elsewhere creates a Boolean of Program.Elsewhere.
func (r *run) elsewhere(name, by string) smt.Term {
	t := r.c.Var(name+" elsewhere", smt.Bool)
	r.prog.Elsewhere = append(r.prog.Elsewhere, Elsewhere{t, by})
	return t
}

// around returns the surroundings of an object; nil if the object is known completely.
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

// aroundAddress returns the surroundings of the object to which an address of unknown origin may point.
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

// answer combines two results of a primitive. exact is its result for the objects as they were allocated. elsewhere,
// called with the pointer's candidate, returns its result for executions in which the object differs.
func (cc *callCtx) answer(ptr, exact smt.Term, elsewhere func(x mem.Candidate, s *surroundings, size smt.Term) smt.Term,
) smt.Term {
	r, c := cc.r(), cc.c()
	t := exact
	unknown := func(when smt.Term) {
		if cc.p.st.Limits.Assuming > 0 { // then known has ended the path
			return
		}
		s := r.aroundAddress(ptr)
		x := mem.Candidate{Cond: when, Obj: mem.None, Off: cc.r().mem.Int(0)}
		t = c.Ite(c.And(when, s.elsewhere), elsewhere(x, s, cc.r().mem.Int(0)), t)
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

// dereferenceable returns the condition that n bytes at ptr may be accessed (language.Dereferenceable).
func (cc *callCtx) dereferenceable(known language.Entry, ptr, n smt.Term) smt.Term {
	r, c := cc.r(), cc.c()
	exact := r.mem.Dereferenceable(cc.p.st, ptr, n)
	if known.Dialect == language.Contract { // bytes that are known to exist
		return exact
	}
	return cc.answer(ptr, exact, func(x mem.Candidate, s *surroundings, size smt.Term) smt.Term {
		at := c.Add(s.before, x.Off)
		end := c.Add(s.before, c.Add(size, s.behind))
		fits := c.And(c.Sge(n, cc.r().mem.Int(0)), c.Ule(at, end), c.Ule(n, c.Sub(end, at)))
		if x.Obj != mem.None {
			fits = c.And(fits, r.mem.Live(cc.p.st, x.Obj))
		}
		return fits
	})
}
