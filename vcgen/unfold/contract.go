package unfold

import (
	"maps"
	"slices"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/mem"
	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// contract executes a primitive of contracts. It reports whether the role is one.
func (cc *callCtx) contract(role language.Role) bool {
	r, c, st := cc.r(), cc.c(), cc.p.st
	check := func(kind found.Kind) {
		if r.opts.Checks[kind] {
			r.obligationAt(cc.p.g.T, cc.site, kind, cc.argBool(0), false)
			return
		}
		r.assume(cc.p, cc.site, cc.argBool(0))
		r.note(found.Assumption{What: found.KeptContracts, Kinds: []found.Kind{kind}}, cc.site, 0)
	}
	switch role {
	case language.LoopMode:
		cc.ret = value{t: c.Int(32, uint64(r.opts.LoopContracts))}
		if r.opts.LoopContracts.Cut() {
			r.prog.CutByContract = true
		}
	case language.Symbolic:
		cc.ret = value{t: c.Int(32, 1)}
	case language.Bound:
		cc.ret = value{t: r.quantifiers.Bound(64)}
	case language.Forall, language.Exists:
		var vars []smt.Term
		for _, a := range cc.args[1:] {
			vars = append(vars, a.t)
		}
		cc.ret = cc.result(r.quantifiers.Holds(cc.argBool(0), vars, role == language.Exists))
	case language.Assuming:
		cc.assuming()
	case language.Requires:
		check(found.Precondition)
	case language.Ensures:
		check(found.Postcondition)
	case language.Invariant:
		check(found.LoopInvariant)
	case language.Variant:
		check(found.LoopVariant)
	case language.FrameBegin:
		l := r.mem.Begin(st, cc.fr)
		if c.IsTrue(cc.argBool(0)) { // of a loop
			l.Loop, l.MayFree = true, r.opts.LoopContracts == language.LoopsChecked
			cc.fr.noteContract(cc.v.block)
			if r.opts.LoopContracts.Cut() {
				cc.cutLoop()
			}
		}
	case language.FrameAdd:
		l := st.Limits.Inner
		l.Writes = append(l.Writes, mem.Target{At: cc.arg(0), Size: cc.argInt(1, cc.r().mem.Width, false), When: cc.p.g.T})
	case language.FrameFree:
		l := st.Limits.Inner
		l.Frees = append(l.Frees, mem.Target{At: cc.arg(0), When: cc.p.g.T})
	case language.FrameWritten:
		cc.frameWritten()
	case language.FramePause:
		st.Limits.Paused++
	case language.FrameGoOn:
		st.Limits.Paused--
	case language.FrameEnd:
		st.Limits.Inner = st.Limits.Inner.Outer
	case language.LoopLeave:
		if r.opts.LoopContracts != language.LoopsPlain {
			st.Limits.Inner = st.Limits.Inner.Outer
		}
	case language.LoopLeaving:
		switch l := st.Limits.Inner; {
		case r.opts.LoopContracts == language.LoopsPlain || l == nil:
		case c.IsTrue(cc.argBool(0)):
			st.Limits.Inner = l.Leaving()
		default:
			st.Limits.Inner = l.Stay()
		}
	case language.ApartByName:
		cc.apartByName()
	case language.IsNew:
		cc.ret = cc.result(cc.isNew())
	case language.IsFreeable:
		cc.ret = cc.result(cc.isFreeable())
	case language.WasFreed:
		cc.ret = cc.result(cc.wasFreed())
	case language.ErrnoAt:
		at, ok := r.errnoAt()
		if !ok {
			at = cc.r().mem.Int(0)
		}
		cc.ret = value{t: at}
	default:
		return false
	}
	return true
}

// apartByName notes that the proof of a contract had an object here that is distinct from all variables, if the call
// passes a variable.
func (cc *callCtx) apartByName() {
	r, c := cc.r(), cc.c()
	for _, x := range r.mem.Candidates(cc.arg(0), mem.AsNoObject) { // is_fresh has refused the others
		if x.Obj == mem.None || c.IsFalse(c.And(cc.p.g.T, x.Cond)) {
			continue
		}
		if o := r.mem.Objects[x.Obj]; o.Kind == mem.Static && !o.Const {
			r.note(found.Assumption{What: found.ApartByName, Name: o.Name,
				Names: []string{language.Shown(cc.fr.fn.Name)}}, cc.site, 0)
		}
	}
}

// isNew returns the condition that the argument points to an object that began to live in the contract's frame.
func (cc *callCtx) isNew() smt.Term {
	r, c, st := cc.r(), cc.c(), cc.p.st
	t := c.False()
	for _, x := range r.mem.Candidates(cc.arg(0), mem.AsNoObject) { // an unknown object is not known to be new
		if x.Obj != mem.None && st.Limits.Inner != nil && x.Obj >= st.Limits.Inner.Since {
			t = c.Or(t, c.And(x.Cond, r.mem.Live(st, x.Obj)))
		}
	}
	return t
}

// isFreeable returns the condition that the argument may be passed to free.
func (cc *callCtx) isFreeable() smt.Term {
	r, c, st := cc.r(), cc.c(), cc.p.st
	cc.known(cc.arg(0))
	t := c.False()
	for _, x := range r.mem.Candidates(cc.arg(0), cc.eitherWay(&t, "freeable")) {
		ok := c.Eq(x.Off, cc.r().mem.Int(0))
		if x.Obj != mem.None {
			if r.mem.Objects[x.Obj].Kind != mem.Heap {
				continue
			}
			ok = c.And(ok, r.mem.Live(st, x.Obj))
			if r.mem.Objects[x.Obj].Part { // may be a part of a variable
				ok = c.And(ok, c.Not(r.around(x.Obj).elsewhere))
			}
		}
		t = c.Or(t, c.And(x.Cond, ok))
	}
	return t
}

// wasFreed returns the condition that the argument points to an object of the heap that was freed.
func (cc *callCtx) wasFreed() smt.Term {
	r, c, st := cc.r(), cc.c(), cc.p.st
	cc.known(cc.arg(0))
	t := c.False()
	for _, x := range r.mem.Candidates(cc.arg(0), cc.eitherWay(&t, "freed")) {
		if x.Obj != mem.None && r.mem.Objects[x.Obj].Kind == mem.Heap {
			t = c.Or(t, c.And(x.Cond, c.Not(r.mem.Live(st, x.Obj))))
		}
	}
	return t
}

// known logs that everything behind an assumed condition is unknown if p may be an arbitrary address. The condition
// depends on the object of p; no object was chosen for p, so assuming the condition would exclude possible executions.
func (cc *callCtx) known(p smt.Term) {
	if cc.p.st.Limits.Assuming == 0 {
		return
	}
	cc.r().mem.Candidates(p, cc.undecided("a contract that asks for the object of a pointer which may be any address "+
		"(is_fresh or pointer_equals would choose one)"))
}

// undecided returns a callback that logs that everything behind a call is unknown if the object of a pointer is
// unknown. text names the construct (found.NotSupported).
func (cc *callCtx) undecided(text string) mem.Unknown {
	return cc.r().undecided(cc.p, cc.site, cutPoint{fr: cc.fr, block: cc.v.block, instr: cc.k}, text)
}

// undecided is callCtx.undecided for an arbitrary place of the program.
func (r *run) undecided(p *path, site *seair.Site, at cutPoint, text string) mem.Unknown {
	return func(when smt.Term) {
		if g := r.c.And(p.g.T, when); !r.c.IsFalse(g) && r.feasible(g) {
			r.event(seair.Event{Kind: seair.Unsupported, Guard: g, Site: site, Region: len(r.prog.cuts), Text: text})
			r.prog.cuts = append(r.prog.cuts, at)
		}
	}
}

// ofContract reports whether the called function is a primitive of the contract language.
func (cc *callCtx) ofContract() bool {
	return language.Lookup(cc.fn.Name).Dialect == language.Contract
}

// contracted returns the origin of addresses that the contract of the current function, or of one of its loops, leaves
// open.
func (cc *callCtx) contracted() mem.Origin {
	return mem.Origin{By: language.Shown(cc.fr.fn.SourceName)}
}

// eitherWay lets a predicate return either value if the object of its argument is unknown.
func (cc *callCtx) eitherWay(answer *smt.Term, name string) mem.Unknown {
	return func(when smt.Term) {
		if cc.p.st.Limits.Assuming == 0 { // otherwise known has ended the path
			r, c := cc.r(), cc.c()
			*answer = c.Or(*answer, c.And(when, r.elsewhere(name, r.leftOpenBy(cc.arg(0)))))
		}
	}
}

// cutLoop logs the checks that are unknown once a loop is cut.
func (cc *callCtx) cutLoop() {
	if cc.r().opts.Checks[found.UninitializedRead] {
		cc.unsupported("a loop that is cut by its contract, with reads of memory that was never written checked,")
	}
}

// limited logs the obligation that the frames of contracts permit a write of n bytes at ptr.
func (r *run) limited(p *path, site *seair.Site, ptr, n smt.Term) {
	l := p.st.Limits
	if l.Inner == nil || l.Paused > 0 {
		return
	}
	if l.Unclear {
		r.unclear(p, site)
		return
	}
	if r.opts.LoopContracts.Cut() {
		if g := r.c.And(p.g.T, r.mem.WritesLibrary(p.st, ptr)); !r.c.IsFalse(g) {
			r.event(seair.Event{Kind: seair.Unsupported, Guard: g, Site: site, Region: len(r.prog.cuts),
				Text: "a loop with a contract in which the C library changes its internal state"})
			r.prog.cuts = append(r.prog.cuts, cutPoint{all: true})
		}
	}
	r.allowed(p, site, r.orElsewhere(r.mem.MayWrite(p.st, ptr, n)))
}

// orElsewhere weakens a condition. If unknown holds, a violation depends on an object outside of the model, such as a
// target of a frame.
func (r *run) orElsewhere(ok, unknown smt.Term) smt.Term {
	if r.c.IsTrue(ok) || r.c.IsFalse(unknown) {
		return ok
	}
	return r.c.Or(ok, r.c.And(unknown, r.c.Not(r.elsewhere("object", ""))))
}

func (r *run) unclear(p *path, site *seair.Site) {
	r.event(seair.Event{Kind: seair.Unsupported, Guard: p.g.T, Site: site, Region: len(r.prog.cuts),
		Text: "a write after branches with different assigns clauses"})
	r.prog.cuts = append(r.prog.cuts, cutPoint{all: true})
}

func (r *run) allowed(p *path, site *seair.Site, ok smt.Term) {
	switch {
	case r.c.IsTrue(ok):
	case !r.opts.Checks[found.Assigns]:
		r.assume(p, site, ok)
		r.note(found.Assumption{What: found.KeptContracts, Kinds: []found.Kind{found.Assigns}}, site, 0)
	default:
		r.obligation(p, site, found.Assigns, ok)
		if r.accepted(found.Assigns, site) {
			r.assume(p, site, ok)
		}
	}
}

// limitedFree logs the obligation that the frames of contracts permit a call to free ptr.
func (cc *callCtx) limitedFree(ptr smt.Term) {
	r, l := cc.r(), cc.p.st.Limits
	switch {
	case l.Inner == nil || l.Paused > 0:
	case l.Unclear:
		r.unclear(cc.p, cc.site)
	default:
		r.allowed(cc.p, cc.site, r.orElsewhere(r.mem.MayFree(cc.p.st, ptr)))
	}
}

// limitedLocal is limited for a variable in a register. Only frames that began in this call can concern it. They do
// not name it as a target, because a named variable has its address taken and is not in a register.
func (fr *frame) limitedLocal(in *llvmir.Instr, reg int, p *path) {
	l := p.st.Limits
	if l.Inner == nil || l.Paused > 0 {
		return
	}
	if l.Unclear {
		fr.r.unclear(p, fr.r.site(in, fr))
		return
	}
	for x := l.Inner; x != nil; x = x.Outer {
		if x.Owner == fr && !x.Everything && !x.Locals[reg] {
			fr.r.allowed(p, fr.r.site(in, fr), fr.r.c.False())
			return
		}
	}
}

// begunLocal records the beginning of a variable's lifetime in a register: its earlier content is irrelevant to
// frames.
func (fr *frame) begunLocal(reg int, p *path) {
	for x := p.st.Limits.Inner; x != nil; x = x.Outer {
		if x.Owner == fr {
			x.Locals[reg] = true
		}
	}
}

// frameWritten adds to the current frame everything that the loop around the call writes. If loops are cut, all of
// that becomes arbitrary when the loop is entered. Before that, the loop condition may write anything, because it is a
// part of the loop.
func (cc *callCtx) frameWritten() {
	r := cc.r()
	l := cc.p.st.Limits.Inner
	if !r.opts.LoopContracts.Cut() {
		l.Everything, l.MayFree = true, true
		return
	}
	if !cc.c().IsTrue(cc.argBool(0)) {
		l.Everything = true
		return
	}
	w := cc.fr.written(cc.v.block, cc.p)
	for reg := range w.locals {
		l.Locals[reg] = true
	}
	for _, reg := range slices.Sorted(maps.Keys(w.locals)) {
		al := cc.fr.fn.Alloca[reg]
		cc.fr.regs[reg] = cc.fr.freshLocal(al, cc.in.ID, cc.p)
		in := cc.fr.regs[reg].lazy
		r.leftOpen[in] = cc.contracted()
		in.Kind, in.Name = choice.LoopState, choice.Local(al.ID)
	}
	l.Everything = w.everything
	for id, o := range r.mem.Objects {
		if o.Const || o.Kind == mem.Function || o.Temporary || cc.p.st.Content(id) == nil || !w.everything && !w.objects[id] {
			continue
		}
		l.Objects[id] = true
		content, in := r.content(choice.LoopState, cc.p, cc.in.ID, "havoc")
		in.Object = id
		r.mem.ContentMayPoint(in.Content, cc.contracted())
		r.mem.SetContent(cc.p.st, id, content, cc.c().False())
	}
}
