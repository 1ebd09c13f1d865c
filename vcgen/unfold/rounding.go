package unfold

import (
	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/unfold/arith"
)

// The rounding mode is the content of a variable of our models (language.Rounding). If it is to nearest, the result of
// an operation is that of IEEE 754. In any other mode the result is either that or the next float in the direction of
// the mode, and a violation that depends on this choice is `unknown`: without #pragma STDC FENV_ACCESS a compiler may
// compute in the mode to nearest, whatever mode the program has set.

// rounding returns the rounding mode on a path; other is false if it is certainly to nearest.
func (r *run) rounding(p *path) (mode smt.Term, other bool) {
	if p == nil {
		return 0, false
	}
	c := r.c
	mode = c.Int(32, language.RoundNearest)
	if at := r.globals[r.m.GlobalByName[language.Rounding]]; at != 0 {
		mode = r.known.Apply(r.mem.Load(p.st, at, 4))
	}
	if at := r.globals[r.m.GlobalByName[language.RoundingCBMC]]; at != 0 {
		set := r.known.Apply(r.mem.Load(p.st, at, 4))
		for from, to := range language.RoundingOfCBMC[1:] {
			mode = c.Ite(c.Eq(set, c.Int(32, uint64(from+1))), c.Int(32, to), mode)
		}
	}
	return mode, mode != c.Int(32, language.RoundNearest)
}

// setRounding changes the rounding mode.
func (cc *callCtx) setRounding() {
	if l := cc.p.st.Limits; l.Inner != nil && l.Paused == 0 {
		cc.unsupported("a change of the rounding mode in code that a contract replaces") // contracts cannot express it
		return
	}
	cc.r().mem.Store(cc.p.st, cc.arg(0), cc.argInt(1, 32, false), 4)
}

// rounded returns the result of an operation that rounds: nearest in the mode to nearest, otherwise either nearest or
// the next float in the direction of the mode.
func (fr *frame) rounded(in *llvmir.Instr, p *path, nearest smt.Term) smt.Term {
	r, c := fr.r, fr.r.c
	mode, other := r.rounding(p)
	if !other {
		return nearest
	}
	next := arith.NextRounded(c, nearest, mode)
	differs := c.And(c.Ne(mode, c.Int(32, language.RoundNearest)), c.Ne(next, nearest))
	if c.IsFalse(differs) {
		return nearest
	}
	chosen := r.input(choice.Rounding, p, in.ID, "rounding")
	chosen.Guard = c.And(chosen.Guard, differs)
	chosen.Value, chosen.Library = c.Var(chosen.Name, smt.BV(1)), true
	r.inputMade[chosen.Value] = chosen.Guard
	return c.Ite(c.And(differs, c.Eq(chosen.Value, c.Int(1, 1))), next, nearest)
}

// integral rounds a float to an integral value in the rounding mode; the result is exact in each mode.
func (fr *frame) integral(x smt.Term, p *path) smt.Term {
	c := fr.r.c
	result := c.FRound(smt.RoundNearestEven, x)
	mode, set := fr.r.rounding(p)
	if !set {
		return result
	}
	for _, other := range []struct {
		mode uint64
		how  smt.RoundMode
	}{{language.RoundZero, smt.RoundTrunc}, {language.RoundUp, smt.RoundCeil}, {language.RoundDown, smt.RoundFloor}} {
		result = c.Ite(c.Eq(mode, c.Int(32, other.mode)), c.FRound(other.how, x), result)
	}
	return result
}
