package pipeline

import (
	"strings"

	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/found"
)

// unusedBounds tells of the bounds that were given for this proof and belong to nothing in it: else a loop that was
// named wrongly is unrolled as if nobody had said anything.
func unusedBounds(p *project.Proof, unused []vcgen.UnusedBound) []found.Assumption {
	var out []found.Assumption
	for _, u := range unused {
		line, own := p.LoopLines[u.Name]
		if !own {
			continue
		}
		a := found.Assumption{What: found.UnusedBound, Name: u.Name, At: found.Pos{File: p.Config, Line: line},
			Unused: &found.Unused{Flag: line == 0, Loop: strings.Contains(u.Name, "#"), Function: u.Function, Loops: u.Loops,
				Meant: project.Nearest(u.Name, u.Known)}}
		if line == 0 {
			a.At = found.Pos{File: p.File, Line: p.Line}
		}
		out = append(out, a)
	}
	return out
}
