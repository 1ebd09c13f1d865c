package vcgen

import (
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/seair"
)

// placed is a site as users see it: the innermost frame in their own files, the calls that lead there (outermost
// first), and deeper frames. If there are more than 2*pathEnd calls, the middle ones are omitted: an endless recursion
// has thousands of instances, each behind as many calls.
type placed struct {
	pos           found.Pos
	stack, deeper []found.Pos
}

// pathEnd is the number of calls that are kept at either end of a long call path.
const pathEnd = 64

func (e *engine) user(file string) bool {
	return e.opts.UserFile == nil || e.opts.UserFile(file)
}

func (e *engine) place(s *seair.Site) placed {
	var out placed
	inner := s
	for inner != nil && !(inner.Pos.Line > 0 && e.user(inner.Pos.File)) {
		inner = inner.Caller
	}
	if inner == nil {
		inner = s
	}
	out.pos = inner.Pos
	for x := s; x != inner; x = x.Caller {
		out.deeper = append([]found.Pos{x.Pos}, out.deeper...)
	}
	for x := inner.Caller; x != nil; x = x.Caller {
		if near := inner.Depth - x.Depth; near > pathEnd && x.Depth >= pathEnd {
			continue
		}
		out.stack = append(out.stack, x.Pos)
	}
	for i, j := 0, len(out.stack)-1; i < j; i, j = i+1, j-1 {
		out.stack[i], out.stack[j] = out.stack[j], out.stack[i]
	}
	return out
}

// instance returns the instance of an event, without a verdict.
func (e *engine) instance(ev *seair.Event) Instance {
	pl := e.place(ev.Site)
	// If a library panics, the user has written a call of it, not a claim of unreachability.
	constFalse := ev.ConstFalse && (ev.Text == "" || len(pl.deeper) == 0)
	return Instance{Kind: ev.Check, Pos: pl.pos, Stack: pl.stack, Deeper: pl.deeper, ConstFalse: constFalse, Says: ev.Text,
		InEntryFile: pl.pos.File == e.opts.EntryFile, Accepted: ev.Accepted, found: ev.Found}
}
