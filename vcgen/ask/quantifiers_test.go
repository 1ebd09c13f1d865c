package ask

import (
	"testing"

	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/unfold/quantify"
)

// TestLooseModel checks models that violate a quantifier even after many instances: they are marked as loose for
// callers that execute them, and are no answer for other callers. After a few rounds all small values are
// instantiated, so that most quantifiers need no more.
func TestLooseModel(t *testing.T) {
	for _, last := range []uint64{3, 100, 1000} {
		e, _ := bare(nil)
		c := e.c
		x, v := c.Var("x", smt.BV(16)), c.Var("v", smt.BV(64))
		all := c.Var("all", smt.Bool)
		// The solver returns the least remaining x, and each instance excludes one.
		body := c.Or(c.Ult(c.Int(64, last), v), c.Ne(c.Zext(x, 64), v))
		e.prog.Quantifiers = []*quantify.Quantifier{{Sym: all, Vars: []smt.Term{v}, Body: body}}
		o := e.Ask(t.Context(), Question{Facts: []smt.Term{all}, Executed: true})
		if o.Answer != smt.Sat || o.Loose != (last > perQuantifier+maxRefinements) {
			t.Errorf("x > %d: %v, loose %v", last, o.Answer, o.Loose)
		}
		// It is no execution, so it proves no reachability. (The existing instances are kept: other ones are needed.)
		if o.Loose {
			if o = e.Ask(t.Context(), Question{Facts: []smt.Term{all}}); o.Answer == smt.Sat {
				t.Errorf("x > %d: reached by a model that is none", last)
			}
		}
	}
}
