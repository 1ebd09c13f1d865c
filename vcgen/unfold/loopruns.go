package unfold

import (
	"slices"

	"github.com/unitproof/unitproof/vcgen/flow"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/seair"
)

// LoopRun summarizes all executions of a loop in the program.
type LoopRun struct {
	NoExit bool // no branch leaves the loop
	Name   string
	Site   *seair.Site
	// Iterations is the maximum number of executions of its body.
	Iterations int
	// Cut is set if the loop has a contract and one arbitrary iteration represents all of them.
	Cut bool
	// Written are the invariants of its contract, as source text.
	Written []string
}

// loopRun returns the summary of a loop so far.
func (fr *frame) loopRun(l *flow.Loop) *LoopRun {
	x := fr.r.prog.Loops[l]
	if x == nil {
		x = &LoopRun{Name: l.Name, Site: fr.loopSite(l), NoExit: fr.fn.Endless(l)}
		fr.r.prog.Loops[l] = x
	}
	return x
}

// loopSite returns the site of a loop.
func (fr *frame) loopSite(l *flow.Loop) *seair.Site {
	s := fr.r.site(fr.loopAt(l), fr)
	if l.Pos.Line > 0 {
		s.Pos.File, s.Pos.Line, s.Pos.Column = l.Pos.File, l.Pos.Line, l.Pos.Col
	}
	return s
}

// loopAt returns the first instruction of a loop's head that has a position.
func (fr *frame) loopAt(l *flow.Loop) *llvmir.Instr {
	if l.At != nil {
		return l.At
	}
	var at *llvmir.Instr
	for _, in := range fr.fn.Blocks[l.Head].Instrs {
		if at == nil || in.Loc != nil && in.Loc.Line > 0 && (at.Loc == nil || at.Loc.Line == 0) {
			at = in
		}
	}
	return at
}

// ran records the n-th execution of a loop's body.
func (fr *frame) ran(l *flow.Loop, n int32) {
	x := fr.loopRun(l)
	x.Iterations = max(x.Iterations, int(n))
}

// noteContract records that the loop around a block has a contract.
func (fr *frame) noteContract(block int) {
	loops := fr.fn.Nodes[block].Loops
	if len(loops) == 0 || fr.r.opts.LoopContracts == language.LoopsPlain {
		return
	}
	inner := loops[len(loops)-1]
	x := fr.loopRun(inner)
	x.Cut = fr.r.opts.LoopContracts.Cut()
	if x.Written != nil {
		return
	}
	for b, blk := range fr.fn.Blocks {
		if around := fr.fn.Nodes[b].Loops; len(around) == 0 || around[len(around)-1] != inner {
			continue
		}
		for _, in := range blk.Instrs {
			f := in.External()
			if f == nil || language.Lookup(f.Name).Role != language.Invariant {
				continue
			}
			if text, ok := constantString(in, 2); ok && !slices.Contains(x.Written, text) {
				x.Written = append(x.Written, text)
			}
		}
	}
}
