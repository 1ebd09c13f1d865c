package interp

import (
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// maxVars bounds the variables that a violation reports.
const maxVars = 60

// variables renders the named variables in scope, innermost user frame first, then the
// user's global variables that may change. A name that is hidden by an inner one of the same
// frame is left out.
func (m *machine) variables() []Var {
	var out []Var
	for i := len(m.frames) - 1; i >= 0 && len(out) < maxVars; i-- {
		fr := m.frames[i]
		at := m.at
		if i+1 < len(m.frames) {
			at = m.frames[i+1].call
		}
		loc := locOf(fr.fn, at)
		if loc == nil || !m.opts.UserFile(loc.File) {
			continue
		}
		seen := map[string]bool{}
		for k := len(fr.bound) - 1; k >= 0; k-- {
			b := fr.bound[k]
			if seen[b.v.Name] || !inScope(b.v.Scope, loc.Scope) || b.addr.obj == nil {
				continue
			}
			seen[b.v.Name] = true
			o := b.addr.obj
			v := unknown
			if o.live {
				v = m.renderMemory(objectSource{o}, b.addr.offset(), b.v.Type, 0)
			}
			if v != unknown {
				out = append(out, Var{b.v.Name, v})
			}
		}
	}
	for _, g := range m.m.Globals {
		o := m.globals[g]
		if len(out) >= maxVars {
			break
		}
		if o == nil || g.Constant || g.DIType == nil || g.Loc == nil || !m.opts.UserFile(g.Loc.File) {
			continue
		}
		if v := m.renderMemory(objectSource{o}, 0, g.DIType, 0); v != unknown {
			out = append(out, Var{g.SourceName, v})
		}
	}
	return out
}

// inScope reports whether a variable of scope v is visible at scope s.
func inScope(v, s *llvmir.Scope) bool {
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
