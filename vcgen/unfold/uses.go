package unfold

import (
	"strings"

	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/seair"
)

// Use is where the words of a contract are assumed: of a function that is called, or of a loop that is cut.
type Use struct {
	Function string // whose contract it is, or whose loop
	Site     *seair.Site
	// Begins and Ends are before and behind them. A use that ends nowhere contradicts itself.
	Begins, Ends []Way
	// Region is what it leads to (Program.Region).
	Region int
	outer  int
}

// useKey is a use: a call, and the instruction that begins it there.
type useKey struct {
	fr    *frame
	instr int
}

// assuming begins what a contract says (language.Assuming), and ends it.
func (cc *callCtx) assuming() {
	r, c, limits := cc.r(), cc.c(), &cc.p.st.Limits
	now := Way{Guard: cc.p.g.T, Event: len(r.log.Events)}
	mode, known := c.Uint64(cc.argInt(0, 64, false))
	if !known || mode > language.AssumesInvariant {
		cc.unsupported("a contract that is assumed in a way that is not known")
		return
	}
	if mode == language.AssumesNothing {
		limits.Assuming--
		if k := limits.Use; k > 0 {
			u := &r.prog.Uses[k-1]
			u.Ends, limits.Use = append(u.Ends, now), u.outer
		}
		return
	}
	limits.Assuming++
	// By its own name where what stands for calls has got the function's.
	if strings.HasPrefix(cc.fr.fn.Name, language.EnforcePrefix) {
		r.mem.EverythingMayPoint()
	}
	if mode == language.AssumesRequired {
		return
	}
	key := useKey{cc.fr, cc.in.ID}
	if r.uses[key] == 0 {
		u := Use{Function: language.Shown(cc.fr.fn.Name), Site: cc.site, Region: len(r.prog.cuts),
			outer: limits.Use}
		if mode == language.AssumesEnsured && cc.fr.site != nil {
			u.Site = cc.fr.site
		}
		r.prog.cuts = append(r.prog.cuts, cutPoint{fr: cc.fr, block: cc.v.block, instr: cc.k + 1})
		r.prog.Uses = append(r.prog.Uses, u)
		r.uses[key] = len(r.prog.Uses)
	}
	limits.Use = r.uses[key]
	u := &r.prog.Uses[limits.Use-1]
	u.Begins = append(u.Begins, now)
}
