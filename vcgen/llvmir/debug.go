package llvmir

import (
	"path"

	"github.com/llir/llvm/ir/metadata"
)

// debugTable shares locations, scopes, variables and types per metadata node.
type debugTable struct {
	locs   map[*metadata.DILocation]*Loc
	scopes map[metadata.Field]*Scope
	vars   map[*metadata.DILocalVariable]*DIVar
	types  map[metadata.Field]*DIType
	// final are the types whose name is no declarator built from the element type.
	final map[*DIType]bool
	// copies are the qualified copies of types, in order of creation; see diType.
	copies []qualifiedCopy
}

func (d *debugTable) init() {
	d.locs = map[*metadata.DILocation]*Loc{}
	d.scopes = map[metadata.Field]*Scope{}
	d.vars = map[*metadata.DILocalVariable]*DIVar{}
	d.types = map[metadata.Field]*DIType{}
	d.final = map[*DIType]bool{}
}

// fileName returns the name of a source file under the options.
func (r *reader) fileName(f *metadata.DIFile) string {
	if f == nil {
		return ""
	}
	if r.opts.KeepFileNames || f.Filename == "" || f.Directory == "" || path.IsAbs(f.Filename) {
		return f.Filename
	}
	return path.Join(f.Directory, f.Filename)
}

func (r *reader) location(node any) *Loc {
	n, ok := node.(*metadata.DILocation)
	if !ok || n == nil {
		return nil
	}
	if l, ok := r.debug.locs[n]; ok {
		return l
	}
	l := &Loc{Line: int(n.Line), Col: int(n.Column)}
	r.debug.locs[n] = l
	if l.Scope = r.scope(n.Scope); l.Scope != nil {
		l.File = l.Scope.File
	}
	if n.InlinedAt != nil {
		l.InlinedAt = r.location(n.InlinedAt)
		for at := l.InlinedAt; at != nil; at = at.InlinedAt {
			if at == l {
				r.fail("a source location is inlined at itself")
				l.InlinedAt = nil
				break
			}
		}
	}
	return l
}

// scope returns the subprogram or block of a node; nil for other scopes.
func (r *reader) scope(node metadata.Field) *Scope {
	switch node.(type) {
	case *metadata.DISubprogram, *metadata.DILexicalBlock, *metadata.DILexicalBlockFile:
	default:
		return nil
	}
	if s, ok := r.debug.scopes[node]; ok {
		return s
	}
	s := &Scope{}
	r.debug.scopes[node] = s
	var parent metadata.Field
	switch n := node.(type) {
	case *metadata.DISubprogram:
		s.Function, s.File, s.Line, s.ScopeLine = n.Name, r.fileName(n.File), int(n.Line), int(n.ScopeLine)
		return s
	case *metadata.DILexicalBlock:
		s.File, s.Line = r.fileName(n.File), int(n.Line)
		parent = n.Scope
	case *metadata.DILexicalBlockFile:
		s.File = r.fileName(n.File)
		parent = n.Scope
	}
	s.Parent = r.scope(parent)
	for p := s.Parent; p != nil; p = p.Parent {
		if p == s {
			r.fail("a scope lies in itself")
			s.Parent = nil
			break
		}
	}
	if p := s.Parent; p != nil {
		s.Function, s.ScopeLine = p.Function, p.ScopeLine
		if s.Line == 0 {
			s.Line = p.Line
		}
		if s.File == "" {
			s.File = p.File
		}
	}
	return s
}

func (r *reader) variable(node any) *DIVar {
	n, ok := node.(*metadata.DILocalVariable)
	if !ok || n == nil {
		return nil
	}
	if v, ok := r.debug.vars[n]; ok {
		return v
	}
	v := &DIVar{
		Name: n.Name, Arg: int(n.Arg), Type: r.diType(n.Type), Scope: r.scope(n.Scope),
		File: r.fileName(n.File), Line: int(n.Line),
	}
	r.debug.vars[n] = v
	return v
}

// describeGlobal adds what debug information says about a variable.
func (r *reader) describeGlobal(g *Global, attached []*metadata.Attachment) {
	for _, a := range attached {
		if a.Name != "dbg" {
			continue
		}
		var v *metadata.DIGlobalVariable
		switch n := a.Node.(type) {
		case *metadata.DIGlobalVariableExpression:
			v = n.Var
		case *metadata.DIGlobalVariable:
			v = n
		}
		if v == nil {
			continue
		}
		g.SourceName = v.Name
		g.Loc = &Loc{File: r.fileName(v.File), Line: int(v.Line), Scope: r.scope(v.Scope)}
		g.DIType = r.diType(v.Type)
		return
	}
}

// describeFunc adds what debug information says about a function and its parameters.
func (r *reader) describeFunc(f *Func, attached []*metadata.Attachment) {
	for _, a := range attached {
		sp, ok := a.Node.(*metadata.DISubprogram)
		if !ok || a.Name != "dbg" {
			continue
		}
		if sp.Name != "" {
			f.SourceName = sp.Name
		}
		f.Scope = r.scope(sp)
		f.Loc = &Loc{File: f.Scope.File, Line: int(sp.Line), Scope: f.Scope}
		if t, ok := sp.Type.(*metadata.DISubroutineType); ok && t.Types != nil {
			r.describeParams(f, t.Types.Fields)
		}
		return
	}
}

// describeParams ties C parameters to LLVM parameters. A struct passed by value may become no, one
// or two LLVM parameters, so beyond the first such one (counted from either end) nothing is known.
func (r *reader) describeParams(f *Func, sig []metadata.Field) {
	var source []*DIType
	if len(sig) > 0 {
		sig = sig[1:] // the return type
	}
	for _, s := range sig {
		if _, ok := s.(*metadata.NullLit); ok || s == nil {
			break // "..."
		}
		source = append(source, r.diType(s))
	}
	params := f.Params
	if len(params) > 0 && params[0].SRet {
		params = params[1:]
	}
	set := func(p *Param, t *DIType) bool {
		single := t != nil && (p.ByVal != nil || p.Type.Kind == PointerType && isPointer(t) ||
			p.Type.Kind == FloatType && t.Kind == DIFloat || p.Type.Kind == IntType && isInteger(t) && int64(p.Type.Bits) <= max(t.Bits, 1))
		if single {
			p.DIType = t
			p.PointsToConst = t.Kind == DIPointer && t.Elem != nil && t.Elem.Const
		}
		return single
	}
	for len(params) > 0 && len(source) > 0 && set(&params[0], source[0]) {
		params, source = params[1:], source[1:]
	}
	for len(params) > 0 && len(source) > 0 && set(&params[len(params)-1], source[len(source)-1]) {
		params, source = params[:len(params)-1], source[:len(source)-1]
	}
	if len(params) == len(source) {
		// A struct in one register.
		for i := range params {
			if len(params) == 1 {
				params[i].DIType = source[i]
			}
		}
	}
}

func isPointer(t *DIType) bool { return t.Kind == DIPointer || t.Kind == DIArray || t.Kind == DIFunc }

func isInteger(t *DIType) bool {
	switch t.Kind {
	case DIInt, DIChar, DIBool, DIEnum:
		return t.Bits <= 64
	}
	return false
}
