package unfold

import "github.com/unitproof/unitproof/vcgen/flow"

// Location is the place of an unfolding: a function, by its name in the source, and the innermost loop around it,
// which may be a caller's; nil if there is none.
type Location struct {
	Function string
	Loop     *flow.Loop
}

// location returns the place of a visit of a block.
func (fr *frame) location(bi *flow.Node) Location {
	if n := len(bi.Loops); n > 0 {
		return Location{fr.fn.SourceName, bi.Loops[n-1]}
	}
	return Location{fr.fn.SourceName, fr.around}
}

// move calls Options.At if the place changes.
func (r *run) move(to Location) {
	if to != r.location {
		r.location = to
		r.opts.At(to)
	}
}
