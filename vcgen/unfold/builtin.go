package unfold

import (
	"strings"

	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/mem"
	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// builtin executes a function without a body that the engine knows; false when it does
// not know the name.
func (cc *callCtx) builtin(name string) bool {
	r, c, p := cc.r(), cc.c(), cc.p
	switch name {
	case "assume", "__SEA_assume", "__VERIFIER_assume", "__CPROVER_assume", "klee_assume", "verifier.assume":
		r.assume(p, cc.site, cc.argBool(0))
	case "assert":
		// Without its header it is a function of no prototype, which the proof still means as an assertion.
		if len(cc.in.Args) != 1 || class(cc.in.Args[0].Type) != "int" {
			cc.unsupported("a call of assert, which is declared nowhere, with other arguments than one number or pointer,")
			break
		}
		cc.assertion()
	case "sassert", "__VERIFIER_assert", "__CPROVER_assert", "__CPROVER_precondition", "__CPROVER_postcondition", "__SEA_assert":
		cc.assertion()
	case "unitproof_reads": // for the models of the C library
		r.access(p, cc.site, cc.arg(0), mem.Access{Size: cc.argInt(1, 64, false)})
	case "unitproof_apart":
		cc.apart(cc.arg(0), cc.argInt(1, 64, false), cc.arg(2), cc.argInt(3, 64, false), func(dst, src smt.Term) smt.Term { return cc.c().True() })
	case "memhavoc", "klee_make_symbolic":
		cc.havoc(cc.arg(0), cc.argInt(1, 64, false))
	case "sea_is_dereferenceable", "__CPROVER_r_ok", "__CPROVER_w_ok", "__CPROVER_rw_ok":
		n := c.Int(64, 1)
		if len(cc.args) > 1 {
			n = cc.argInt(1, 64, true)
		}
		cc.ret = cc.result(r.mem.Dereferenceable(p.st, cc.arg(0), n))
	case "sea_is_modified":
		t := c.False()
		for _, x := range r.mem.Candidates(cc.arg(0)) {
			if x.Obj != mem.None {
				t = c.Or(t, c.And(x.Cond, r.mem.Modified(p.st, x.Obj)))
			}
		}
		cc.ret = cc.result(t)
	case "sea_reset_modified":
		for _, x := range r.mem.Candidates(cc.arg(0)) {
			if x.Obj != mem.None {
				r.mem.ResetModified(p.st, x.Obj, x.Cond)
			}
		}
	case "sea_tracking_on":
		p.st.Tracking = c.True()
	case "sea_tracking_off":
		p.st.Tracking = c.False()
	case "abort", "exit", "_exit", "_Exit", "quick_exit":
		r.event(seair.Event{Kind: seair.End, Guard: p.g.t, Site: cc.site})
		cc.dead = true
	case "malloc", "calloc", "aligned_alloc", "realloc", "free", "cfree", "reallocarray", "posix_memalign":
		cc.heap(name)
	case "alloca", "__builtin_alloca":
		cc.unsupported("alloca by name")
	case "memcpy", "__memcpy_chk", "mempcpy":
		n := cc.argInt(2, 64, false)
		cc.copyRange(cc.arg(0), cc.arg(1), n, true)
		cc.ret = value{t: cc.arg(0)}
		if name == "mempcpy" {
			cc.ret = value{t: c.Add(cc.arg(0), n)}
		}
	case "memmove", "__memmove_chk":
		cc.copyRange(cc.arg(0), cc.arg(1), cc.argInt(2, 64, false), false)
		cc.ret = value{t: cc.arg(0)}
	case "memset", "__memset_chk":
		cc.fill(cc.arg(0), cc.argInt(1, 8, false), cc.argInt(2, 64, false))
		cc.ret = value{t: cc.arg(0)}
	case "printf", "fprintf", "vprintf", "vfprintf", "dprintf", "puts", "putchar", "fputs", "fputc", "putc", "perror", "fflush", "syslog", "__printf_chk", "__fprintf_chk":
		cc.output(name)
	case "llvm.trap":
		cc.failureCall(found.Unreachable)
	default:
		switch {
		case isFailure(name):
			if strings.HasPrefix(name, "__ubsan_") {
				cc.ubsan(name)
			} else {
				cc.failureCall(found.Assertion)
			}
		case cc.math(name):
		case matches(name, "pthread_*", "thrd_*", "setjmp", "_setjmp", "__sigsetjmp", "sigsetjmp", "longjmp", "_longjmp", "siglongjmp", "fork", "vfork"):
			cc.unsupported("a call of " + name)
		case matches(name, "nd_*", "nondet_*", "__VERIFIER_nondet_*") && len(cc.fn.Params) == 0:
			cc.nondet(name)
		default:
			return cc.cprover(name)
		}
	}
	return true
}

// assertion is a call that asserts its first argument.
func (cc *callCtx) assertion() {
	if r := cc.r(); r.opts.Checks[found.Assertion] {
		constFalse := cc.in.Args[0].Kind == llvmir.OperandConst && r.c.IsFalse(cc.argBool(0))
		r.obligationAt(cc.p.g.t, cc.site, found.Assertion, cc.argBool(0), constFalse)
	}
}

// result gives a condition in the type of the call's result.
func (cc *callCtx) result(cond smt.Term) value {
	s := scalarSort(cc.in.Type)
	if s.IsBool() {
		return value{t: cond}
	}
	return value{t: cc.c().BoolToBV(cond, s.Width())}
}

// notInt are the types in names of nondet functions that an int cannot hold all values of.
var notInt = map[string]bool{
	"int64_t": true, "uint64_t": true, "size_t": true, "ssize_t": true, "intptr_t": true, "uintptr_t": true,
	"long": true, "ulong": true, "longlong": true, "ulonglong": true, "loff_t": true, "u64": true,
	"float": true, "double": true, "voidp": true, "pointer": true,
}

// undeclared tells whether C takes a nondet function that was declared nowhere to return an int, though its name says
// another type: a proof would then hold for fewer values than were meant. Its declaration has no prototype.
func (cc *callCtx) undeclared(name string) bool {
	t := cc.in.Type
	if !cc.fn.Variadic || t.Kind != llvmir.IntType || t.Bits != 32 {
		return false
	}
	for _, prefix := range []string{"nd_", "nondet_", "__VERIFIER_nondet_"} {
		if of, ok := strings.CutPrefix(name, prefix); ok {
			return notInt[of]
		}
	}
	return false
}

// nondet returns an arbitrary value. A pointer is an address in no object, perhaps NULL.
func (cc *callCtx) nondet(name string) {
	r, c := cc.r(), cc.c()
	if cc.in.Type.Kind == llvmir.VoidType {
		return
	}
	if cc.undeclared(name) {
		remedy := "declare it"
		if strings.HasPrefix(name, "nd_") {
			remedy = "#include <unitproof.h>"
		}
		cc.unsupported("a call of " + name + ", which is declared nowhere and so returns only an int (" + remedy + "),")
		return
	}
	cc.ret = r.arbitrary(seair.InNondet, cc.in.Type, cc.p, cc.in.ID, name)
	if isPointer(cc.in.Type) {
		r.mem.NoObject(cc.ret.t)
		// Addresses of objects lie below 2^47, so those above are never one of them.
		in := c.Or(c.Eq(cc.ret.t, c.Int(64, 0)), c.Uge(cc.ret.t, c.Int(64, 4096)))
		r.log.Events = append(r.log.Events, seair.Event{Kind: seair.Axiom, Guard: c.True(), Cond: in})
	}
}

// havoc gives n bytes at ptr arbitrary content. As free(NULL), memhavoc(NULL, n) does
// nothing: harnesses call it on the result of an allocation that may have failed. It is no
// modification of the code under proof.
func (cc *callCtx) havoc(ptr, n smt.Term) {
	r, c := cc.r(), cc.c()
	null := c.False()
	for _, x := range r.mem.Candidates(ptr) {
		if x.Obj == mem.None {
			null = c.Or(null, c.And(x.Cond, c.Eq(x.Off, c.Int(64, 0))))
		}
	}
	size := n
	n = c.Ite(null, c.Int(64, 0), n)
	r.access(cc.p, cc.site, ptr, mem.Access{Write: true, Size: n})
	fresh, _ := r.content(seair.InHavoc, cc.p, cc.in.ID, "havoc")
	r.mem.HavocRange(cc.p.st, ptr, n, func(v *mem.Version, x mem.Candidate) *mem.Version {
		if r.mem.IsWhole(x, size) {
			cond := x.Cond
			if !c.IsFalse(c.And(null, r.mem.Live(cc.p.st, x.Obj))) { // the object may exist where the pointer is NULL
				cond = c.And(cond, c.Not(null))
			}
			return r.mem.Merge(cond, fresh, v)
		}
		return r.mem.Copy(v, x.Cond, x.Off, fresh, c.Int(64, 0), n)
	})
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
		cc.apart(dst, n, src, n, c.Ne)
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

// apart logs the obligation that two ranges, which lie in objects, share no byte where counts holds of their offsets.
func (cc *callCtx) apart(dst, n, src, m smt.Term, counts func(dst, src smt.Term) smt.Term) {
	r, c := cc.r(), cc.c()
	if !r.opts.Checks[found.OverlappingCopy] {
		return
	}
	overlap := c.False()
	for _, x := range r.mem.Candidates(dst) {
		for _, y := range r.mem.Candidates(src) {
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

// failureCall is the failure of an assertion or of another check: its obligation is that
// it is not entered, where the block's immediate dominator gets to.
func (cc *callCtx) failureCall(kind found.Kind) {
	cc.notEntered(kind, cc.c().True())
	cc.leaveFailure()
}

// notEntered logs the obligation that the call is not entered with when true. All edges
// into the block together are one instance.
func (cc *callCtx) notEntered(kind found.Kind, when smt.Term) {
	r, c := cc.r(), cc.c()
	if !r.opts.Checks[kind] {
		return
	}
	reach := cc.fr.entered
	var entered smt.Term
	if d := cc.fr.fn.blocks[cc.v.block].idom; d >= 0 && cc.fr.ends[d] != nil {
		reach = cc.fr.ends[d]
	}
	if common(reach, cc.p.g) == reach {
		entered = cc.p.g.since(c, reach)
	} else {
		reach, entered = cc.p.g, c.True()
	}
	if cc.fr.fn.blocks[cc.v.block].idom < 0 {
		// The function does nothing but fail: the call decides.
		r.obligationAt(cc.p.g.t, cc.site, kind, c.Not(when), c.IsTrue(when))
		return
	}
	r.obligationAt(reach.t, cc.site, kind, c.Not(c.And(entered, when)), c.IsTrue(c.And(entered, when)))
}

// leaveFailure ends the path of a failure call that does not return and lets its guard
// flow to where the other executions go on: the obligation has excluded it.
func (cc *callCtx) leaveFailure() {
	bi := &cc.fr.fn.blocks[cc.v.block]
	if len(bi.succs) > 0 || bi.stop != cc.k {
		return // the call returns: an error function of the user's dialect
	}
	if bi.resume >= 0 && !cc.r().accepted(found.Assertion, cc.site) {
		e := edge{g: cc.p.g, from: cc.v.block}
		if cc.v.at != nil {
			cc.fr.place(cc.v, bi.resume, &e)
		}
		cc.fr.addEdge(cc.v, bi.resume, e)
	}
	cc.dead = true
}
