package unfold

import (
	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// errnoAt returns the address of errno; false if the program does not use it.
func (r *run) errnoAt() (smt.Term, bool) {
	g := r.m.GlobalByName[language.Errno]
	base := r.globals[g]
	return base, g != nil && base != 0
}

// setErrno sets errno to a number if failed holds.
func (cc *callCtx) setErrno(failed smt.Term, number uint64) {
	c, m := cc.c(), cc.r().mem
	if at, ok := cc.r().errnoAt(); ok && !c.IsFalse(failed) {
		m.Store(cc.p.st, at, c.Ite(failed, c.Int(32, number), m.Load(cc.p.st, at, 4)), 4)
	}
}

// mayChangeErrno leaves errno unchanged or sets it to any number but 0.
func (cc *callCtx) mayChangeErrno() {
	r, c := cc.r(), cc.c()
	at, ok := r.errnoAt()
	if !ok {
		return
	}
	value := r.scalarInput(choice.Nondet, cc.p, cc.in.ID, "errno", smt.BV(32))
	r.mem.Store(cc.p.st, at, c.Ite(c.Eq(value, c.Int(32, 0)), r.mem.Load(cc.p.st, at, 4), value), 4)
}
