package unfold

import (
	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/flow"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/mem"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// allocate executes an alloca. The content of a promoted variable is held in the alloca's register.
func (fr *frame) allocate(v *visit, k int, in *llvmir.Instr, p *path) *path {
	r, c := fr.r, fr.r.c
	if fr.fn.Promoted[in.Dst] {
		fr.regs[in.Dst] = fr.freshLocal(in, in.ID, p)
		return p
	}
	size := fr.r.mem.Int(uint64(in.ElemType.Size))
	fixed := flow.IsOne(in.Args)
	if !fixed {
		n := fr.scalar(in, in.Args[0], p)
		if w := r.mem.Width; c.Width(n) < w {
			n = c.Zext(n, w)
		}
		if fits := c.Ule(n, c.Int(c.Width(n), r.mem.Space.MaxVariable/uint64(max(in.ElemType.Size, 1)))); !c.IsTrue(fits) &&
			r.feasible(c.And(p.g.T, c.Not(fits))) {
			site := r.site(in, fr)
			r.assume(p, site, fits)
			r.note(found.Assumption{What: found.ArraysFit, Count: int64(r.mem.Space.MaxVariable)}, site, 0)
			n = r.known.Apply(n)
		}
		size = c.Mul(r.asSize(n), size)
	}
	o := fr.newStackObject(in, in.ID, size, p)
	fr.regs[in.Dst] = value{t: o.Base}
	if fr.fn.Scoped[in.Dst] && !r.m.Of(in).Temporary && !r.m.Of(in).ReturnSlot {
		// No access precedes the marker. This object is the variable outside of its lifetimes, so that a loop around
		// its scope changes nothing that was made before the loop.
		r.mem.Kill(p.st, o.ID, c.True())
		if fr.dormant == nil {
			fr.dormant = map[int]value{}
		}
		fr.dormant[in.Dst] = fr.regs[in.Dst]
	}
	if !fixed || v.block != 0 {
		fr.dynamic = append(fr.dynamic, fr.objects[len(fr.objects)-1])
	}
	return p
}

// asSize returns an unsigned number with the width of an address.
func (r *run) asSize(n smt.Term) smt.Term {
	if w := r.mem.Width; r.c.Width(n) > w {
		return r.c.Extract(n, w-1, 0)
	}
	return r.c.Zext(n, r.mem.Width)
}

// freshLocal returns the arbitrary content of a promoted variable at the beginning of its lifetime.
func (fr *frame) freshLocal(al *llvmir.Instr, site int, p *path) value {
	in := fr.r.input(choice.Uninitialized, p, site, fr.fn.RegName(al.Dst))
	in.Bits = int(al.ElemType.StoreSize) * 8
	fr.r.neverWritten.inputs[in] = true
	if fr.r.m.Of(al).ReturnSlot {
		fr.r.noValue.inputs[in] = true
	}
	return value{lazy: in}
}

func (fr *frame) newStackObject(al *llvmir.Instr, site int, size smt.Term, p *path) *mem.Object {
	r := fr.r
	content, in := r.content(choice.Uninitialized, p, site, fr.fn.RegName(al.Dst))
	r.neverWritten.funcs[in.Content] = true
	if r.m.Of(al).ReturnSlot {
		r.noValue.funcs[in.Content] = true
	}
	o := r.mem.NewObject(p.st, mem.Object{Kind: mem.Stack, Name: fr.fn.RegName(al.Dst), Site: site, Size: size,
		Align: max(al.Align, 1), Guard: p.g.T, Temporary: r.m.Of(al).Temporary}, content, r.c.True())
	fr.objects = append(fr.objects, o.ID)
	r.made(p, site, o)
	return o
}

// lifetime executes llvm.lifetime.start and .end of an alloca.
func (fr *frame) lifetime(in *llvmir.Instr, start bool, p *path) {
	r := fr.r
	if in.Args[1].Kind != llvmir.OperandReg {
		return
	}
	src, ok := fr.fn.Origin[in.Args[1].Reg]
	if !ok {
		return
	}
	al := fr.fn.Alloca[src]
	if fr.fn.Promoted[src] {
		fr.regs[src] = value{}
		if start {
			fr.begunLocal(src, p)
			fr.regs[src] = fr.freshLocal(al, in.ID, p)
		}
		return
	}
	old := fr.regs[src].t
	if old != 0 {
		for _, x := range r.mem.Candidates(old, mem.AsNoObject) { // a base
			if x.Obj != mem.None {
				r.mem.Kill(p.st, x.Obj, x.Cond)
			}
		}
	}
	if start {
		size := fr.r.mem.Int(uint64(al.ElemType.Size))
		if !flow.IsOne(al.Args) {
			n := fr.scalar(al, al.Args[0], p)
			size = r.c.Mul(r.asSize(n), size)
		}
		fr.regs[src] = value{t: fr.newStackObject(al, in.ID, size, p).Base}
	} else if d, ok := fr.dormant[src]; ok {
		fr.regs[src] = d
	}
}
