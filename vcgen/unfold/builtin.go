package unfold

import (
	"slices"
	"strconv"
	"strings"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/flow"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/mem"
	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/unfold/guard"
)

// builtin executes a function without a body that the engine implements. It reports whether the name is one of these.
func (cc *callCtx) builtin(name string) bool {
	r, c, p := cc.r(), cc.c(), cc.p
	known := language.Function(name, cc.fn.Arity())
	if !known.Fits(len(cc.in.Args), cc.in.CanBeAddress(cc.r().m.Layout), cc.in.CanBeInteger) {
		cc.unsupported("a call of " + name + ", which is declared with types of its own,")
		return true
	}
	if known.MayChangeErrno() {
		cc.mayChangeErrno()
	}
	switch known.Role {
	case language.Assume:
		if cc.hasCondition() && (r.opts.Drop == nil || !r.opts.Drop(cc.site)) {
			r.assume(p, cc.site, cc.argBool(0))
		}
	case language.Assert:
		if cc.hasCondition() {
			cc.assertion()
		}
	case language.AssertFailure, language.Error:
		cc.failureCall(found.Assertion)
	case language.CapacityError:
		cc.notEntered(found.Assertion, c.Eq(cc.argInt(0, cc.r().mem.Width, false), cc.r().mem.Int(0)))
		r.event(seair.Event{Kind: seair.End, Guard: p.g.T, Site: cc.site})
		cc.dead = true
	case language.Nothing:
	case language.Unknown:
		cc.unsupported("a call of " + name + ", named like a verifier's primitive that unitproof does not support,")
	case language.Nondet:
		cc.nondet(known)
	case language.Uninterpreted:
		cc.uninterpreted(name)
	case language.Reads:
		r.access(p, cc.site, cc.arg(0), mem.Access{Size: cc.argInt(1, cc.r().mem.Width, false)})
	case language.Known:
		cc.ret = cc.result(c.BoolConst(c.IsConst(cc.arg(0))))
	case language.SetsRounding:
		cc.setRounding()
	case language.Scans:
		cc.ret = cc.result(c.BoolConst(r.quantifiers.Scans()))
	case language.Find, language.FindLast, language.Differ:
		cc.scanned(known.Role)
	case language.Apart:
		cc.checkDisjoint(cc.arg(0), cc.argInt(1, cc.r().mem.Width, false), cc.arg(2), cc.argInt(3, cc.r().mem.Width, false),
			func(dst, src smt.Term) smt.Term { return cc.c().True() })
	case language.Havoc:
		cc.havoc(cc.arg(0), cc.argInt(1, cc.r().mem.Width, false))
	case language.Dereferenceable:
		cc.known(cc.arg(0))
		n := cc.r().mem.Int(1)
		if len(cc.args) > 1 {
			n = cc.argInt(1, cc.r().mem.Width, true)
		}
		cc.ret = cc.result(cc.dereferenceable(known, cc.arg(0), n))
	case language.IsModified:
		if r.prog.CutByContract {
			cc.unsupported("sea_is_modified in a program with a loop that is cut by its contract,")
			return true
		}
		t := c.False()
		for _, x := range r.mem.Candidates(cc.arg(0), func(when smt.Term) {
			written := c.False()
			for _, id := range r.mayBelongTo(p.st, r.mem.Origins(cc.arg(0))) {
				written = c.Or(written, r.mem.Modified(p.st, id))
			}
			t = c.Or(t, c.And(when, written, r.elsewhere("modified", r.leftOpenBy(cc.arg(0)))))
		}) {
			if x.Obj != mem.None {
				t = c.Or(t, c.And(x.Cond, r.mem.Modified(p.st, x.Obj)))
			}
		}
		cc.ret = cc.result(t)
	case language.ResetModified:
		for _, x := range r.mem.Candidates(cc.arg(0), func(when smt.Term) {
			for _, id := range r.mayBelongTo(p.st, r.mem.Origins(cc.arg(0))) {
				r.mem.ResetModified(p.st, id, c.And(when, r.elsewhere("reset", r.leftOpenBy(cc.arg(0)))))
			}
		}) {
			if x.Obj != mem.None {
				r.mem.ResetModified(p.st, x.Obj, x.Cond)
			}
		}
	case language.TrackingOn:
		p.st.Tracking = c.True()
	case language.TrackingOff:
		p.st.Tracking = c.False()
	case language.ObjectSize, language.PointerOffset, language.PointerObject:
		cc.pointerPrimitive(known)
	case language.Exit:
		cc.exit()
	case language.Abort:
		r.event(seair.Event{Kind: seair.End, Guard: p.g.T, Site: cc.site})
		cc.dead = true
	case language.Malloc, language.Lend, language.Part,
		language.Calloc, language.AlignedAlloc, language.Valloc, language.Realloc,
		language.Reallocarray, language.PosixMemalign, language.Free, language.RustAlloc, language.RustAllocZeroed,
		language.RustRealloc,
		language.RustDealloc:
		cc.heap(known.Role)
	case language.Alloca:
		cc.unsupported("alloca by name")
	case language.Memcpy, language.Mempcpy:
		n := cc.argInt(2, cc.r().mem.Width, false)
		cc.copyRange(cc.arg(0), cc.arg(1), n, true)
		cc.ret = value{t: cc.arg(0)}
		if known.Role == language.Mempcpy {
			cc.ret = value{t: c.Add(cc.arg(0), n)}
		}
	case language.Memmove:
		cc.copyRange(cc.arg(0), cc.arg(1), cc.argInt(2, cc.r().mem.Width, false), false)
		cc.ret = value{t: cc.arg(0)}
	case language.Memset:
		cc.fill(cc.arg(0), cc.argInt(1, 8, false), cc.argInt(2, cc.r().mem.Width, false))
		cc.ret = value{t: cc.arg(0)}
	case language.Print:
		cc.output(known)
	case language.Impossible, language.OtherConversion:
		cc.unsupported("a call of " + name)
	default:
		if cc.contract(known.Role) {
			return true
		}
		if check := clangir.SanitizerCheck(cc.fn); check != "" {
			cc.ubsan(check)
			return true
		}
		return cc.math(name)
	}
	return true
}

// exit runs the functions that run at exit, and ends the execution.
func (cc *callCtx) exit() {
	r, p := cc.r(), cc.p
	cc.dead = true
	if !r.ending {
		r.ending = true
		for _, f := range r.m.After() {
			if p != nil {
				_, p = r.call(cc.fr, cc.v.block, cc.k, f, nil, cc.in, p, cc.site)
			}
		}
		r.ending = false
	}
	if p != nil {
		r.event(seair.Event{Kind: seair.End, Guard: p.g.T, Site: cc.site})
	}
}

// hasCondition reports whether a call that asserts or assumes has a single number or pointer as its argument.
// Otherwise it ends the path as unsupported: without a declaration clang passes any arguments.
func (cc *callCtx) hasCondition() bool {
	if n := len(cc.in.Args); n > 0 && clangir.Passed(cc.r().m.Layout, cc.in.Args[0].Type) == "word" &&
		(n == 1 || !cc.fn.Variadic || language.Lookup(cc.fn.Name).Described) {
		return true
	}
	cc.unsupported("a call of " + cc.fn.Name +
		", which is declared nowhere, with other arguments than one number or pointer,")
	return false
}

// assertion executes a call that asserts its first argument.
func (cc *callCtx) assertion() {
	if r := cc.r(); r.opts.Checks[found.Assertion] {
		r.obligationAt(cc.p.g.T, cc.site, found.Assertion, cc.argBool(0), cc.writtenFalse())
	}
}

// result converts a condition to the type of the call's result.
func (cc *callCtx) result(cond smt.Term) value {
	s := scalarSort(cc.in.Type)
	if s.IsBool() {
		return value{t: cond}
	}
	return value{t: cc.c().BoolToBV(cond, s.Width())}
}

// wide are parts of the names of types with values that an int does not hold.
var wide = []string{"long", "float", "double", "size", "ptr", "pointer", "void", "charp", "intp", "intmax", "off_t",
	"loff", "off64", "time_t", "qword"}

// widthOf returns the width of the type in the name of a nondet function, at least: uint64_t, longlong, u8. It is 0 if
// the name may be that of an int, and of no other type. A float, a pointer or a size counts as wider than each int.
func widthOf(name string) int {
	contains := func(part string) bool { return strings.Contains(name, part) }
	if slices.ContainsFunc(wide, contains) || strings.TrimPrefix(name, "u") == "ll" {
		return 64
	}
	width := 0
	for _, digits := range strings.FieldsFunc(name, func(r rune) bool { return r < '0' || r > '9' }) {
		n, _ := strconv.Atoi(digits)
		width = max(width, n)
	}
	return width
}

// undeclared reports whether a nondet function without a declaration returns int, though its name names another type.
// A proof would then hold for fewer values than were intended. The implicit declaration has no prototype.
func (cc *callCtx) undeclared(known language.Entry) bool {
	t := cc.in.Type
	return cc.fn.Variadic && t.Kind == llvmir.IntType && t.Bits <= 32 &&
		widthOf(strings.TrimPrefix(cc.fn.Name, known.Name)) > t.Bits
}

// nondet returns an arbitrary value. A pointer is an address in no object, perhaps NULL, or, for some functions, any
// address.
func (cc *callCtx) nondet(known language.Entry) {
	r, c, name := cc.r(), cc.c(), cc.fn.Name
	if cc.undeclared(known) {
		remedy := "declare it"
		if known.Dialect == language.Unitproof {
			remedy = "#include <unitproof.h>"
		}
		cc.unsupported("a call of " + name + ", which is declared nowhere and so returns only an int (" + remedy + "),")
		return
	}
	cc.returns(name)
	if isPointer(cc.in.Type) && known.AnyAddress {
		r.mayPoint(cc.ret, cc.in.Type, mem.Origin{By: name})
	}
	if isPointer(cc.in.Type) && !known.AnyAddress {
		r.mem.NoObject(cc.ret.t)
		// Addresses of objects lie below 2^47, so an address above is never one of them.
		in := c.Or(c.Eq(cc.ret.t, cc.r().mem.Int(0)), c.Uge(cc.ret.t, cc.r().mem.Int(r.mem.Space.Lowest)))
		r.log.Events = append(r.log.Events, seair.Event{Kind: seair.Axiom, Guard: c.True(), Cond: in})
	}
}

// returns creates an arbitrary result of the called function: a value, or the content of the memory through which it
// returns a struct. It reports whether the function returns a result.
func (cc *callCtx) returns(name string) bool {
	r, i := cc.r(), cc.fn.InMemory()
	if language.OfLibrary(cc.fn.Name, len(cc.fn.Params)) {
		defer func(from int) {
			for _, in := range r.log.Inputs[from:] {
				in.Library = true
			}
		}(len(r.log.Inputs))
	}
	if i < 0 {
		if cc.in.Type.Kind == llvmir.VoidType {
			return false
		}
		if cc.fn.Name == language.InputSizeChoice && cc.fr.fn.Name == language.MakeInput {
			if cc.ret.t = r.inputSize(cc.p, cc.in.ID, cc.in.Type.Bits); cc.ret.t != 0 {
				return true
			}
		}
		cc.ret = r.arbitrary(choice.Nondet, cc.in.Type, cc.p, cc.in.ID, name)
		return true
	}
	size := cc.r().mem.Int(uint64(cc.fn.Params[i].Pointee().Size))
	fresh, _ := r.content(choice.Nondet, cc.p, cc.in.ID, name)
	r.mem.HavocRange(cc.p.st, cc.arg(i), size, cc.c().False(), func(v *mem.Version, x mem.Candidate) *mem.Version {
		if r.mem.IsWhole(x, size) {
			return r.mem.Merge(x.Cond, fresh, v)
		}
		return r.mem.Copy(v, x.Cond, x.Off, fresh, cc.r().mem.Int(0), size)
	})
	return true
}

// havoc gives n bytes at ptr arbitrary content. memhavoc(NULL, n) does nothing, like free(NULL): harnesses call it on
// the result of an allocation that may have failed. It builds an input, so it is no modification by the code under
// proof. In a contract it marks the memory that a call may write (choice.Assigns).
func (cc *callCtx) havoc(ptr, n smt.Term) {
	r, c := cc.r(), cc.c()
	null := c.False()
	for _, x := range r.mem.Candidates(ptr, mem.AsNoObject) { // an access follows
		if x.Obj == mem.None {
			null = c.Or(null, c.And(x.Cond, c.Eq(x.Off, cc.r().mem.Int(0))))
		}
	}
	size := n
	n = c.Ite(null, cc.r().mem.Int(0), n)
	r.access(cc.p, cc.site, ptr, mem.Access{Write: true, Size: n})
	fresh, in := r.content(choice.Havoc, cc.p, cc.in.ID, "havoc")
	touched, merge := c.False(), c.False()
	if cc.ofContract() {
		r.mem.ContentMayPoint(in.Content, cc.contracted())
		if !cc.ownVariable(ptr) {
			touched = r.scalarInput(choice.Assigns, cc.p, cc.in.ID, "assigned", smt.Bool)
			merge = c.BoolConst(r.opts.Checks[found.UninitializedRead])
		}
	}
	r.mem.HavocRange(cc.p.st, ptr, n, touched, func(v *mem.Version, x mem.Candidate) *mem.Version {
		if c.IsTrue(merge) { // unassigned bytes may be memory that was never written
			x.Cond = c.And(x.Cond, touched)
		}
		if r.mem.IsWhole(x, size) {
			cond := x.Cond
			if !c.IsFalse(c.And(null, r.mem.Live(cc.p.st, x.Obj))) { // the object may exist though the pointer is NULL
				cond = c.And(cond, c.Not(null))
			}
			return r.mem.Merge(cond, fresh, v)
		}
		return r.mem.Copy(v, x.Cond, x.Off, fresh, cc.r().mem.Int(0), n)
	})
}

// ownVariable reports whether ptr is the address of a variable that the contract language declares.
func (cc *callCtx) ownVariable(ptr smt.Term) bool {
	id, ok := cc.r().mem.ObjectOfBase(ptr)
	return ok && strings.HasPrefix(cc.r().mem.Objects[id].Name, language.VariablePrefix)
}

// fill is memset.
func (cc *callCtx) fill(ptr, b, n smt.Term) {
	r := cc.r()
	r.access(cc.p, cc.site, ptr, mem.Access{Write: true, Size: n})
	r.mem.StoreRange(cc.p.st, ptr, n, func(v *mem.Version, x mem.Candidate) *mem.Version {
		if r.mem.IsWhole(x, n) {
			return r.mem.FillAll(v, x.Cond, b)
		}
		return r.mem.Fill(v, x.Cond, x.Off, b, n)
	})
}

// copyRange is memcpy (exclusive: the ranges must not overlap, but may coincide) or memmove.
func (cc *callCtx) copyRange(dst, src, n smt.Term, exclusive bool) {
	r, c, p := cc.r(), cc.c(), cc.p
	r.access(p, cc.site, src, mem.Access{Size: n})
	r.access(p, cc.site, dst, mem.Access{Write: true, Size: n})
	if exclusive {
		cc.checkDisjoint(dst, n, src, n, c.Ne)
	}
	type source struct {
		cand    mem.Candidate
		content *mem.Version
	}
	var sources []source
	for _, y := range r.mem.Targets(p.st, src, n, false) {
		sources = append(sources, source{y, p.st.Content(y.Obj)})
	}
	if len(sources) == 0 {
		return
	}
	r.mem.StoreRange(p.st, dst, n, func(v *mem.Version, x mem.Candidate) *mem.Version {
		for _, s := range sources {
			if from, ok := c.Uint64(s.cand.Off); ok && from == 0 && r.mem.IsWhole(x, n) {
				v = r.mem.Merge(c.And(x.Cond, s.cand.Cond), s.content, v)
				continue
			}
			v = r.mem.Copy(v, c.And(x.Cond, s.cand.Cond), x.Off, s.content, s.cand.Off, n)
		}
		return v
	})
}

// checkDisjoint logs the obligation that two ranges in objects share no byte, for pairs of offsets that satisfy counts.
func (cc *callCtx) checkDisjoint(dst, n, src, m smt.Term, counts func(dst, src smt.Term) smt.Term) {
	r, c := cc.r(), cc.c()
	if !r.opts.Checks[found.OverlappingCopy] {
		return
	}
	overlap := c.False()
	for _, x := range r.mem.Candidates(dst, mem.AsNoObject) { // behind the accesses
		for _, y := range r.mem.Candidates(src, mem.AsNoObject) {
			if x.Obj == mem.None || x.Obj != y.Obj {
				continue
			}
			// In one object one range begins in the other.
			near := c.Or(c.Ult(c.Sub(x.Off, y.Off), m), c.Ult(c.Sub(y.Off, x.Off), n))
			overlap = c.Or(overlap, c.And(x.Cond, y.Cond, counts(x.Off, y.Off), near))
		}
	}
	if !c.IsFalse(overlap) {
		r.obligation(cc.p, cc.site, found.OverlappingCopy, c.Not(overlap))
	}
}

// failureCall executes the failure of an assertion or of another check. Its obligation, at the end of the block's
// immediate dominator, is that the call is not reached.
func (cc *callCtx) failureCall(kind found.Kind) {
	cc.notEntered(kind, cc.c().True())
	cc.leaveFailure()
}

// notEntered logs the obligation that the call is not entered with when true. All edges into the block together are
// one instance.
func (cc *callCtx) notEntered(kind found.Kind, when smt.Term) {
	r, c := cc.r(), cc.c()
	if !r.opts.Checks[kind] {
		return
	}
	defer func() { r.says(cc.in) }()
	end := cc.fr.entered
	if d := cc.fr.fn.Nodes[cc.v.block].Idom; d >= 0 && cc.fr.ends[d] != nil {
		end = cc.fr.ends[d]
	}
	// If states are kept separate, the guard at the end of the dominator need not be a prefix of the call's guard. The
	// two guards then share a common prefix, and the executions that reach the call are exactly those that reach one
	// of the two and satisfy the conditions after that prefix.
	shared := guard.Common(end, cc.p.g)
	entered, reach := cc.p.g.Since(c, shared), end.T
	if shared != end {
		reach = c.Or(end.T, cc.p.g.T)
	}
	if cc.fr.fn.Nodes[cc.v.block].Idom < 0 {
		// The function does nothing but fail: the call is its own obligation.
		r.obligationAt(cc.p.g.T, cc.site, kind, c.Not(when), cc.writtenFalse())
		return
	}
	r.obligationAt(reach, cc.site, kind, c.Not(c.And(entered, when)), cc.writtenFalse())
}

// writtenFalse reports whether the asserted condition is the constant false in the source (flow.WrittenFalse).
func (cc *callCtx) writtenFalse() bool {
	return flow.WrittenFalse(cc.fr.fn.Func, cc.fr.fn.Blocks[cc.v.block], cc.in)
}

// leaveFailure ends the path of a failure call that does not return. It adds the path's guard to the block at which
// the other executions continue, because the obligation excludes the failing ones.
func (cc *callCtx) leaveFailure() {
	bi := &cc.fr.fn.Nodes[cc.v.block]
	if len(bi.Succs) > 0 || bi.Stop != cc.k {
		return // the call returns: an error function of the user's dialect
	}
	if bi.Resume >= 0 && !cc.r().accepted(found.Assertion, cc.site) {
		e := edge{g: cc.p.g, from: cc.v.block}
		if cc.v.at != nil {
			cc.fr.place(cc.v, bi.Resume, &e)
		}
		cc.fr.addEdge(cc.v, bi.Resume, e)
	}
	cc.dead = true
}
