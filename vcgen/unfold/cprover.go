package unfold

import (
	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/mem"
	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// pointerPrimitive executes a primitive of CBMC that inspects a pointer.
func (cc *callCtx) pointerPrimitive(known language.Entry) {
	name := known.Name
	if cc.in.Type.Kind != llvmir.IntType || cc.in.Type.Bits != cc.r().mem.Width || len(cc.args) != 1 {
		cc.unsupported("a call of " + name + " that is not declared as `size_t " + name + "(const void *)`")
		return
	}
	cc.ret = value{t: cc.aboutPointer(known, cc.arg(0))}
}

// aboutPointer returns the size of a pointer's object, the offset in it, or a number that identifies the object. An
// address in no object has size 0, is its own offset, and identifies itself.
func (cc *callCtx) aboutPointer(known language.Entry, ptr smt.Term) smt.Term {
	r, c, role := cc.r(), cc.c(), known.Role
	cc.known(ptr)
	zero := cc.r().mem.Int(0)
	t := zero
	for _, x := range r.mem.Candidates(ptr, mem.AsNoObject) { // answer handles the others
		var v smt.Term
		switch {
		case role == language.PointerOffset:
			v = x.Off
		case role == language.ObjectSize && x.Obj == mem.None:
			v = zero
		case role == language.ObjectSize:
			v = r.mem.Objects[x.Obj].Size
		case x.Obj == mem.None:
			v = c.Ite(c.Eq(x.Off, zero), zero, c.BvOr(x.Off, r.mem.Int(1<<(r.mem.Width-1))))
		default:
			v = cc.r().mem.Int(uint64(x.Obj) + 1)
		}
		t = c.Ite(x.Cond, v, t)
	}
	if known.Dialect == language.Contract { // bytes that are known to exist
		return t
	}
	return cc.answer(ptr, t, func(x mem.Candidate, s *surroundings, size smt.Term) smt.Term {
		switch {
		case role == language.PointerOffset:
			return c.Add(s.before, x.Off)
		case role == language.ObjectSize:
			return c.Add(s.before, c.Add(size, s.behind))
		case x.Obj != mem.None && r.mem.Objects[x.Obj].Spare: // a new object
			return cc.r().mem.Int(uint64(x.Obj) + 1)
		}
		return s.number
	})
}

// application is one call of an uninterpreted function.
type application struct {
	args []value
	ret  smt.Term
}

// maxApplications limits the calls of one uninterpreted function that are related to each other. Further calls return
// arbitrary values, which permits more executions.
const maxApplications = 64

// uninterpreted returns an arbitrary value, the same one for equal arguments.
func (cc *callCtx) uninterpreted(name string) {
	r, c := cc.r(), cc.c()
	if scalarType := cc.in.Type.Kind; scalarType != llvmir.IntType && scalarType != llvmir.FloatType {
		cc.unsupported("a call of " + name + ", which does not return a number,")
		return
	}
	ret := r.arbitrary(choice.Nondet, cc.in.Type, cc.p, cc.in.ID, name)
	cc.ret = ret
	earlier := r.applications[name]
	if len(earlier) >= maxApplications {
		return
	}
	for _, a := range earlier {
		if len(a.args) != len(cc.args) || c.Sort(a.ret) != c.Sort(ret.t) {
			continue
		}
		same := c.True()
		for i := range a.args {
			x, y := a.args[i].t, cc.args[i].t
			switch {
			case a.args[i].e != nil || cc.args[i].e != nil || c.Sort(x) != c.Sort(y):
				same = c.False()
			case isPointer(cc.in.Args[i].Type):
				same = c.And(same, r.mem.Equal(cc.p.st, x, y))
			default:
				same = c.And(same, c.Eq(x, y))
			}
		}
		if c.IsFalse(same) {
			continue
		}
		r.log.Events = append(r.log.Events, seair.Event{Kind: seair.Axiom, Guard: c.True(),
			Cond: c.Or(c.Not(same), c.Eq(a.ret, ret.t))})
	}
	if r.applications == nil {
		r.applications = map[string][]application{}
	}
	r.applications[name] = append(earlier, application{append([]value(nil), cc.args...), ret.t})
}
