package pipeline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/found"
)

// unusedBounds tells of the bounds that were given for this proof and belong to nothing in it: else a loop that was
// named wrongly is unrolled as if nobody had said anything.
func unusedBounds(p *project.Proof, unused []vcgen.UnusedBound) []vcgen.Assumption {
	var out []vcgen.Assumption
	for _, u := range unused {
		line, own := p.LoopLines[u.Name]
		if !own {
			continue
		}
		function, _, isLoop := strings.Cut(u.Name, "#")
		a := vcgen.Assumption{Kind: "unused-setting"}
		of := "bound"
		if line == 0 {
			of = "--unwind bound"
		}
		switch {
		case u.Function:
			a.Message = fmt.Sprintf("the %s for %s is not used: %s has %s here", of, u.Name, function, loopCount(u.Loops))
		case isLoop:
			a.Message = fmt.Sprintf("the %s for %s is not used: the proof has no such loop%s", of, u.Name,
				project.DidYouMean(u.Name, u.Known))
		default:
			a.Message = fmt.Sprintf("the %s for %s is not used: the proof has no such function%s", of, u.Name,
				project.DidYouMean(u.Name, u.Known))
		}
		if line > 0 {
			a.Pos = found.Pos{File: p.Config, Line: line}
		} else {
			a.Pos = found.Pos{File: p.File, Line: p.Line}
		}
		out = append(out, a)
	}
	return slices.Clip(out)
}

func loopCount(n int) string {
	switch n {
	case 0:
		return "no loop"
	case 1:
		return "one loop"
	}
	return fmt.Sprintf("%d loops", n)
}
