package explain

import (
	"strings"

	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// maxVars bounds the variables that a violation reports.
const maxVars = 60

// Variables renders the named variables in scope, innermost user frame first, then the
// user's global variables that may change. A name that is hidden by an inner one of the same
// frame is left out.
func (w *View) Variables() []found.Variable {
	var out []found.Variable
	for i := len(w.Frames) - 1; i >= 0 && len(out) < maxVars; i-- {
		fr := w.Frames[i]
		at := w.At
		if i+1 < len(w.Frames) {
			at = w.Frames[i+1].Call
		}
		loc := state.LocOf(fr.Fn, at)
		if loc == nil || !w.UserFile(loc.File) {
			continue
		}
		seen := map[string]bool{}
		for k := len(fr.Bound) - 1; k >= 0; k-- {
			b := fr.Bound[k]
			if seen[b.V.Name] || strings.HasPrefix(b.V.Name, language.VariablePrefix) ||
				!InScope(b.V.Scope, loc.Scope) || b.Addr.Obj == nil {
				continue
			}
			seen[b.V.Name] = true
			o := b.Addr.Obj
			v := Unknown
			if o.Live {
				v = w.Memory(o, b.Addr.Offset(), b.V.Type, 0)
			}
			if v != Unknown {
				out = append(out, found.Variable{Name: b.V.Name, Value: v})
			}
		}
	}
	for _, g := range w.Program.Globals {
		o := w.Globals[g]
		if len(out) >= maxVars {
			break
		}
		if o == nil || g.Constant || g.DIType == nil || g.Loc == nil || !w.UserFile(g.Loc.File) {
			continue
		}
		if v := w.Memory(o, 0, g.DIType, 0); v != Unknown {
			out = append(out, found.Variable{Name: g.SourceName, Value: v})
		}
	}
	return out
}

// InScope reports whether a variable of scope v is visible at scope s.
func InScope(v, s *llvmir.Scope) bool {
	if v == nil || s == nil {
		return true
	}
	for ; s != nil; s = s.Parent {
		if s == v {
			return true
		}
	}
	return false
}
