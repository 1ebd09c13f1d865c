package unfold

import "github.com/unitproof/unitproof/vcgen/flow"

// Location is where an unfolding is: in a function, by its name in the source, and in a loop, the innermost one of the
// function or of those that call it; nil: in none.
type Location struct {
	Function string
	Loop     *flow.Loop
}

// location is where a visit of a block is.
func (fr *frame) location(bi *flow.Node) Location {
	if n := len(bi.Loops); n > 0 {
		return Location{fr.fn.SourceName, bi.Loops[n-1]}
	}
	return Location{fr.fn.SourceName, fr.around}
}

// move tells Options.At where the unfolding goes on.
func (r *run) move(to Location) {
	if to != r.location {
		r.location = to
		r.opts.At(to)
	}
}
