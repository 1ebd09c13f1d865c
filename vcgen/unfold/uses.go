package unfold

import (
	"strings"

	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/seair"
)

// Use is a place at which a contract is assumed: of a called function, or of a cut loop.
type Use struct {
	Function string // of the contract, or of the loop
	Loop     bool
	Site     *seair.Site
	// Begins and Ends are the ways into and out of the use. A use without an end contradicts itself.
	Begins, Ends []Way
	// Region is the index of the instructions that may follow it (Program.Region).
	Region int
	outer  int
}

// useKey identifies a use: a call, and the instruction in it that begins the use.
type useKey struct {
	fr    *frame
	instr int
}

// assuming begins or ends the assumption of a contract (language.Assuming).
func (cc *callCtx) assuming() {
	r, c, limits := cc.r(), cc.c(), &cc.p.st.Limits
	now := Way{Guard: cc.p.g.T, Event: len(r.log.Events)}
	mode, known := c.Uint64(cc.argInt(0, cc.r().mem.Width, false))
	if !known || mode > language.AssumesInvariant {
		cc.unsupported("a contract that is assumed in an unknown way")
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
	// The prefix is in the function's own name, because the code that replaces calls has taken over the plain name.
	if strings.HasPrefix(cc.fr.fn.Name, language.EnforcePrefix) {
		r.mem.EverythingMayPoint()
	}
	if mode == language.AssumesRequired {
		return
	}
	key := useKey{cc.fr, cc.in.ID}
	if r.uses[key] == 0 {
		u := Use{Function: language.Shown(cc.fr.fn.Name), Loop: mode == language.AssumesInvariant, Site: cc.site,
			Region: len(r.prog.cuts), outer: limits.Use}
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
