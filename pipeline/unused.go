package pipeline

import (
	"strings"

	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/found"
)

// unusedBounds returns warnings about bounds of this proof that match no loop or function: a loop with a misspelt name
// is unrolled as if it had no bound.
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
