package unfold

import (
	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/mem"
	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// pageSize is the alignment of valloc, in bytes.
const pageSize = 4096

// heapAlign returns the alignment of malloc, in bytes.
func (r *run) heapAlign() int64 { return int64(r.mem.Space.HeapAlign) }

// heap executes the allocation functions.
func (cc *callCtx) heap(role language.Role) {
	c, heapAlign := cc.c(), cc.r().heapAlign()
	anyAlign := cc.r().mem.Int(uint64(heapAlign))
	size := func(i int) smt.Term { return cc.argInt(i, cc.r().mem.Width, false) }
	product := func(a, b smt.Term) (n, overflow smt.Term) {
		w := cc.r().mem.Width
		wide := c.Mul(c.Zext(a, 2*w), c.Zext(b, 2*w))
		return c.Extract(wide, w-1, 0), c.Ne(c.Extract(wide, 2*w-1, w), cc.r().mem.Int(0))
	}
	made := func(p, failed smt.Term) {
		cc.setErrno(failed, language.ENOMEM)
		cc.ret = value{t: p}
	}
	switch role {
	case language.Malloc:
		spare := cc.ofContract() // a minimum: the result of is_fresh may have more bytes
		made(cc.allocateAs(mem.Object{Align: heapAlign, Spare: spare}, size(0), c.False(), anyAlign, false))
	case language.Lend:
		made(cc.allocateAs(mem.Object{Align: heapAlign, Lent: true}, size(0), c.False(), anyAlign, false))
	case language.Part:
		part := mem.Object{Align: 1, Part: true}
		if cc.r().opts.Checks[found.Misaligned] { // a caller with misaligned pointers gets its own finding
			part.Align = heapAlign
		}
		made(cc.allocateAs(part, size(0), c.False(), cc.r().mem.Int(1), false))
	case language.Calloc:
		n, overflow := product(size(0), size(1))
		made(cc.allocate(n, overflow, anyAlign, true))
	case language.AlignedAlloc:
		made(cc.allocate(size(1), c.False(), size(0), false))
	case language.Valloc:
		made(cc.allocate(size(0), c.False(), cc.r().mem.Int(pageSize), false))
	case language.PosixMemalign:
		a := size(1)
		bytes := int64(cc.r().mem.Width) / 8
		bad := c.Or(c.Not(mem.PowerOfTwo(c, a)), c.Ne(c.BvAnd(a, cc.r().mem.Int(uint64(bytes-1))), cc.r().mem.Int(0)))
		p, failed := cc.allocate(size(2), bad, a, false) // posix_memalign does not set errno
		cc.r().access(cc.p, cc.site, cc.arg(0), mem.Access{Write: true, Size: cc.r().mem.Int(uint64(bytes))})
		old := cc.r().mem.Load(cc.p.st, cc.arg(0), bytes)
		cc.r().mem.Store(cc.p.st, cc.arg(0), c.Ite(failed, old, p), bytes)
		cc.ret = value{t: c.Ite(bad, c.Int(32, language.EINVAL),
			c.Ite(failed, c.Int(32, language.ENOMEM), c.Int(32, 0)))}
	case language.RustAlloc, language.RustAllocZeroed:
		p, _ := cc.allocate(size(0), c.False(), size(1), role == language.RustAllocZeroed)
		cc.ret = value{t: p}
	case language.RustRealloc:
		cc.realloc(cc.arg(0), size(3), c.False(), size(2))
	case language.Realloc:
		cc.realloc(cc.arg(0), size(1), c.False(), anyAlign)
	case language.Reallocarray:
		n, overflow := product(size(1), size(2))
		cc.realloc(cc.arg(0), n, overflow, anyAlign)
	case language.Free, language.RustDealloc:
		cc.checkFree(cc.arg(0))
		cc.limitedFree(cc.arg(0))
		cc.release(cc.arg(0), c.True())
	}
}

// allocate creates a heap object of n bytes unless refused holds. It may fail if the options permit it, and
// fails if n exceeds the address space. The result is the base of the object, or NULL on failure. The base is a
// multiple of align if align is a power of two.
func (cc *callCtx) allocate(n, refused, align smt.Term, zeroed bool) (object, fails smt.Term) {
	return cc.allocateAs(mem.Object{Align: cc.r().heapAlign()}, n, refused, align, zeroed)
}

// allocateAs is allocate with further properties of the object in proto.
func (cc *callCtx) allocateAs(proto mem.Object, n, refused, align smt.Term, zeroed bool) (object, fails smt.Term) {
	r, c, p := cc.r(), cc.c(), cc.p
	if r.prog.CutByContract && r.opts.Checks[found.MemoryLeak] {
		cc.unsupported("an allocation in a program with a loop that is cut by its contract, with leaks checked,")
		return cc.r().mem.Int(0), c.True()
	}
	fails = c.Or(refused, c.Ugt(n, r.mem.Int(r.mem.Space.MaxSize)), c.Ugt(align, r.mem.Int(r.mem.Space.MaxAlign)))
	in := r.input(choice.AllocFails, p, cc.in.ID, cc.fn.Name)
	if r.opts.MallocMayFail {
		fails = c.Or(fails, c.Var(cc.fn.Name+" fails", smt.Bool))
	}
	in.Value = fails
	if c.IsTrue(fails) {
		return cc.r().mem.Int(0), fails
	}
	ok := c.Not(fails)
	here := &path{p.g, p.st}
	if g := p.g.Extend(c, ok); g != nil {
		here = &path{g, p.st}
	}
	content := r.mem.Zero()
	if !zeroed {
		var made *seair.Input
		content, made = r.content(choice.Malloc, here, cc.in.ID, cc.fn.Name)
		r.neverWritten.funcs[made.Content] = true
	}
	// The model has the object with the size of a successful call.
	proto.Kind, proto.Name, proto.Site, proto.Size, proto.Guard = mem.Heap, cc.fn.Name, cc.in.ID, n, here.g.T
	if a, known := c.Int64(align); !known {
		proto.Aligned = align
	} else if a > r.heapAlign() && a&(a-1) == 0 {
		proto.Align = a
	}
	o := r.mem.NewObject(p.st, proto, content, ok)
	r.made(here, cc.in.ID, o)
	if cc.ofContract() {
		r.required[o.ID] = true
	}
	r.allocSite[o.ID] = cc.site
	return c.Ite(fails, cc.r().mem.Int(0), o.Base), fails
}

// checkFree logs the obligations of free(ptr): ptr is the start of a live heap object.
func (cc *callCtx) checkFree(ptr smt.Term) {
	r, c, p := cc.r(), cc.c(), cc.p
	r.unresolved(p, ptr)
	valid, live := c.True(), c.True()
	fine := c.False() // unknown objects that need not be shown to be valid
	for _, x := range r.mem.Candidates(ptr, func(when smt.Term) {
		if !r.enforced(found.InvalidFree, cc.site) {
			fine = when
		}
	}) {
		if x.Obj == mem.None {
			valid = c.And(valid, c.Implies(x.Cond, c.Or(c.Eq(x.Off, cc.r().mem.Int(0)), fine)))
			continue
		}
		o := r.mem.Objects[x.Obj]
		if o.Kind != mem.Heap || o.Lent {
			valid = c.And(valid, c.Not(x.Cond))
			continue
		}
		valid = c.And(valid, c.Implies(x.Cond, c.Eq(x.Off, cc.r().mem.Int(0))))
		live = c.And(live, c.Implies(x.Cond, r.mem.Live(p.st, x.Obj)))
	}
	for _, k := range []mem.Check{{Kind: found.InvalidFree, Cond: valid}, {Kind: found.DoubleFree, Cond: live}} {
		switch {
		case !r.opts.Checks[k.Kind]:
			r.assume(p, cc.site, k.Cond)
			r.note(found.Assumption{What: found.ValidFrees, Kinds: []found.Kind{k.Kind}}, cc.site, 0)
		default:
			r.obligationAbout(p, cc.site, k.Kind, k.Cond, ptr)
			if r.accepted(k.Kind, cc.site) {
				r.assume(p, cc.site, k.Cond)
			}
		}
	}
}

// release ends the lifetime of the object of ptr under cond. If the object is unknown, it may be the lifetime of any
// possible one.
func (cc *callCtx) release(ptr, cond smt.Term) {
	r, c := cc.r(), cc.c()
	for _, x := range r.mem.Candidates(ptr, func(when smt.Term) {
		if r.enforced(found.InvalidFree, cc.site) {
			return
		}
		if x := r.opts.Induction; x.hasMembers() {
			x.refuse("a loop over a list, with a free of unknown memory that is not checked")
		}
		for _, id := range r.mayBelongTo(cc.p.st, r.mem.Origins(ptr)) {
			if r.mem.Objects[id].Kind == mem.Heap {
				r.mem.Kill(cc.p.st, id, c.And(cond, when, r.elsewhere("free", r.leftOpenBy(ptr))))
			}
		}
	}) {
		if x.Obj != mem.None && r.mem.Objects[x.Obj].Kind == mem.Heap {
			r.mem.Kill(cc.p.st, x.Obj, c.And(cond, x.Cond))
		}
	}
}

// realloc allocates, copies and releases. The new block may have the old address, but is another object, at a multiple
// of align. realloc(NULL, n) is malloc(n); realloc(p, 0) frees.
func (cc *callCtx) realloc(ptr, n, refused, align smt.Term) {
	r, c := cc.r(), cc.c()
	cc.checkFree(ptr)
	cc.limitedFree(ptr)
	var isNull smt.Term
	if cands := r.mem.Candidates(ptr, mem.AsNoObject); len(cands) == 1 && cands[0].Obj != mem.None {
		isNull = c.False()
	} else {
		isNull = c.False()
		for _, x := range cands {
			if x.Obj == mem.None {
				isNull = c.Or(isNull, x.Cond)
			}
		}
	}
	// n is the truncated product of a refused call: that call frees nothing.
	drop := c.And(c.Not(isNull), c.Eq(n, cc.r().mem.Int(0)), c.Not(refused))
	type source struct {
		x       mem.Candidate
		content *mem.Version
	}
	var olds []source
	for _, x := range r.mem.Candidates(ptr, mem.AsNoObject) {
		if x.Obj != mem.None && cc.p.st.Content(x.Obj) != nil && r.mem.Objects[x.Obj].Kind == mem.Heap {
			olds = append(olds, source{x, cc.p.st.Content(x.Obj)})
		}
	}
	fresh, failed := cc.allocate(n, c.Or(refused, drop), align, false)
	cc.setErrno(c.And(failed, c.Not(drop)), language.ENOMEM)
	made := c.Ne(fresh, cc.r().mem.Int(0))
	for _, x := range r.mem.Candidates(fresh, mem.AsNoObject) {
		if x.Obj == mem.None {
			made = c.Not(x.Cond)
			continue
		}
		v := cc.p.st.Content(x.Obj)
		for _, s := range olds {
			size := r.mem.Objects[s.x.Obj].Size
			keep := c.Ite(c.Ult(size, n), size, n)
			v = r.mem.Copy(v, s.x.Cond, cc.r().mem.Int(0), s.content, s.x.Off, keep)
		}
		r.mem.SetContent(cc.p.st, x.Obj, v, c.False())
		for _, s := range olds {
			r.mem.MayReuse(x.Obj, s.x.Obj, s.x.Cond)
		}
	}
	if c.IsConst(fresh) {
		made = c.False()
	} else if len(r.mem.Candidates(fresh, mem.AsNoObject)) == 1 {
		made = c.True()
	}
	cc.release(ptr, c.Or(made, drop))
	cc.ret = value{t: fresh}
}

// checkLeaks logs, at the return of the entry, that every heap object is freed or reachable from global variables. The
// position of the obligation is the allocation.
func (r *run) checkLeaks(p *path) {
	if !r.opts.Checks[found.MemoryLeak] {
		return
	}
	c := r.c
	reachable := map[int]smt.Term{}
	for _, o := range r.mem.Objects {
		if o.Kind == mem.Heap {
			reachable[o.ID] = c.False()
		}
	}
	// Memory of unknown content may hold the only address of an object.
	hidden := map[int]bool{}
	points := map[int][]mem.Candidate{}
	for id := range r.mem.Objects {
		if o := r.mem.Objects[id]; o.Kind == mem.Static && !o.Const || o.Kind == mem.Heap {
			points[id] = r.mem.StoredPointers(p.st, id)
			for _, x := range r.mayBelongTo(p.st, r.mem.OriginsIn(p.st, id)) {
				hidden[x] = true
			}
		}
	}
	if r.mem.TooLarge { // stored pointers are unknown
		r.mem.TooLarge = false
		r.event(seair.Event{Kind: seair.Unsupported, Guard: p.g.T,
			Site: &seair.Site{Pos: found.Pos{Function: r.entry.SourceName}},
			Text: "model limit: pointers in an object with too many cells", Region: len(r.prog.cuts)})
		r.prog.cuts = append(r.prog.cuts, cutPoint{})
	}
	for id, cs := range points {
		if r.mem.Objects[id].Kind == mem.Static {
			for _, x := range cs {
				if _, ok := reachable[x.Obj]; ok {
					reachable[x.Obj] = c.Or(reachable[x.Obj], x.Cond)
				}
			}
		}
	}
	for changed, rounds := true, 0; changed && rounds < len(reachable); rounds++ {
		changed = false
		for id := range r.mem.Objects {
			if r.mem.Objects[id].Kind != mem.Heap {
				continue
			}
			from := c.And(reachable[id], r.mem.Live(p.st, id))
			for _, x := range points[id] {
				if old, ok := reachable[x.Obj]; ok {
					if t := c.Or(old, c.And(from, x.Cond)); t != old {
						reachable[x.Obj], changed = t, true
					}
				}
			}
		}
	}
	for _, o := range r.mem.Objects {
		if o.Kind != mem.Heap {
			continue
		}
		site := r.allocSite[o.ID]
		fine := c.Or(c.Not(r.mem.Live(p.st, o.ID)), reachable[o.ID])
		r.obligationAt(p.g.T, site, found.MemoryLeak, r.orElsewhere(fine, c.BoolConst(hidden[o.ID])), false)
	}
}
