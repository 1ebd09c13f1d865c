package llvmir

import (
	"math"
	"path"

	"github.com/unitproof/unitproof/vcgen/llvmir/lexer"
)

// debugTable caches locations, scopes, variables and types by metadata node.
type debugTable struct {
	locs   map[mdNode]*Loc
	scopes map[mdNode]*Scope
	vars   map[mdNode]*DIVar
	types  map[mdNode]*DIType
	files  map[mdNode]string
	// final are the types whose name is not a declarator built from the element type.
	final map[*DIType]bool
	// copies are the qualified copies of types, in the order of creation; see diType.
	copies []qualifiedCopy
	// depth is the nesting of nodes, to bound recursion.
	depth int
}

func (d *debugTable) init() {
	d.locs = map[mdNode]*Loc{}
	d.scopes = map[mdNode]*Scope{}
	d.vars = map[mdNode]*DIVar{}
	d.types = map[mdNode]*DIType{}
	d.files = map[mdNode]string{}
	d.final = map[*DIType]bool{}
}

// deeper counts a step into a referenced node; the caller must decrement the depth.
func (r *reader) deeper() {
	if r.debug.depth++; r.debug.depth > maxNesting {
		r.Fail("debug information is nested too deeply")
	}
}

// fileName returns the name of a source file, subject to the options.
func (r *reader) fileName(n mdNode) string {
	if n == 0 {
		return ""
	}
	if name, ok := r.debug.files[n]; ok {
		return name
	}
	f := r.record(n)
	name, dir := "", ""
	if f.kind == "DIFile" {
		name, dir = f.str("filename"), f.str("directory")
	}
	if !r.opts.KeepFileNames && name != "" && dir != "" && !path.IsAbs(name) {
		name = path.Join(dir, name)
	}
	r.debug.files[n] = name
	return name
}

// location returns the source position of a node; nil if it is not a location.
func (r *reader) location(n mdNode) *Loc {
	if n == 0 {
		return nil
	}
	if l, ok := r.debug.locs[n]; ok {
		return l
	}
	l, scope, inlinedAt := r.position(n)
	if r.debug.locs[n] = l; l == nil {
		return nil
	}
	if l.Scope = r.scope(scope); l.Scope != nil {
		l.File = l.Scope.File
	}
	if inlinedAt != 0 {
		r.deeper()
		l.InlinedAt = r.location(inlinedAt)
		r.debug.depth--
		for at := l.InlinedAt; at != nil; at = at.InlinedAt {
			if at == l {
				r.Fail("a source location is inlined at itself")
			}
		}
	}
	return l
}

// position reads a location without its references; nil for other nodes.
//
// Half of all nodes are locations, so it does not create a record.
func (r *reader) position(n mdNode) (l *Loc, scope, inlinedAt mdNode) {
	r.At(int(n), func() {
		if string(r.Word()) != "!DILocation" {
			return
		}
		l = &Loc{}
		r.Next()
		r.Expect('(')
		for !r.Is(')') {
			if r.Kind != lexer.Label {
				r.Fail("%q stands where a field of metadata belongs", r.Shown())
			}
			key := r.Name()
			r.Next()
			switch string(key) {
			case "line":
				l.Line = int(r.Uint(math.MaxUint32))
			case "column":
				l.Col = int(r.Uint(math.MaxUint32))
			case "scope":
				scope = r.nodeRef()
			case "inlinedAt":
				inlinedAt = r.nodeRef()
			default:
				r.mdValue()
			}
			if !r.Accept(',') {
				break
			}
		}
		r.Expect(')')
	})
	return l, scope, inlinedAt
}

// scope returns the subprogram or block of a node; nil for other scopes.
func (r *reader) scope(n mdNode) *Scope {
	if n == 0 {
		return nil
	}
	if s, ok := r.debug.scopes[n]; ok {
		return s
	}
	rec := r.record(n)
	s := &Scope{}
	switch rec.kind {
	case "DISubprogram":
		r.debug.scopes[n] = s
		s.Function, s.File, s.Line, s.ScopeLine = rec.str("name"), r.fileName(rec.ref("file")), int(rec.num("line")),
			int(rec.num("scopeLine"))
		return s
	case "DILexicalBlock":
		s.File, s.Line = r.fileName(rec.ref("file")), int(rec.num("line"))
	case "DILexicalBlockFile":
		s.File = r.fileName(rec.ref("file"))
	default:
		r.debug.scopes[n] = nil
		return nil
	}
	r.debug.scopes[n] = s
	r.deeper()
	s.Parent = r.scope(rec.ref("scope"))
	r.debug.depth--
	for p := s.Parent; p != nil; p = p.Parent {
		if p == s {
			r.Fail("a scope lies in itself")
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

// variable returns the local variable of a node; nil if it is not a variable.
func (r *reader) variable(n mdNode) *DIVar {
	if v, ok := r.debug.vars[n]; ok || n == 0 {
		return v
	}
	rec := r.record(n)
	if rec.kind != "DILocalVariable" {
		return nil
	}
	v := &DIVar{
		Name: rec.str("name"), Arg: int(rec.num("arg")), Type: r.diType(rec.ref("type")), Scope: r.scope(rec.ref("scope")),
		File: r.fileName(rec.ref("file")), Line: int(rec.num("line")),
	}
	r.debug.vars[n] = v
	return v
}

// describeGlobal adds the debug information of a variable.
func (r *reader) describeGlobal(g *Global, n mdNode) {
	rec := r.record(n)
	if rec.kind == "DIGlobalVariableExpression" {
		if n = rec.ref("var"); n == 0 {
			return
		}
		rec = r.record(n)
	}
	if rec.kind != "DIGlobalVariable" {
		return
	}
	g.SourceName = rec.str("name")
	g.Loc = &Loc{File: r.fileName(rec.ref("file")), Line: int(rec.num("line")), Scope: r.scope(rec.ref("scope"))}
	g.DIType = r.diType(rec.ref("type"))
	if g.Arbitrary && rec.word("isLocal") == "true" {
		g.External = false // static, and declared only because its initializer is irrelevant
	}
}

// describeFunc adds the debug information of a function and its parameters.
func (r *reader) describeFunc(f *Func, n mdNode) {
	rec := r.record(n)
	if rec.kind != "DISubprogram" {
		return
	}
	if name := rec.str("name"); name != "" {
		f.SourceName = name
	}
	if unit := rec.ref("unit"); unit != 0 {
		unit := r.record(unit)
		f.Language = unit.word("language")
	}
	f.Scope = r.scope(n)
	f.Loc = &Loc{File: f.Scope.File, Line: int(rec.num("line")), Col: 1, Scope: f.Scope}
	t := rec.ref("type")
	if t == 0 {
		return
	}
	if t := r.record(t); t.kind == "DISubroutineType" {
		r.describeParams(f, r.tuple(t.ref("types")))
	}
}

// describeParams assigns C parameters to LLVM parameters.
//
// A struct passed by value may become zero, one or two LLVM parameters. Parameters after the first such struct,
// counted from either end, remain without a C type.
func (r *reader) describeParams(f *Func, sig []mdValue) {
	var source []*DIType
	if len(sig) > 0 {
		if sig[0].kind == mdRef {
			f.describeReturn(r.diType(sig[0].node))
		}
		sig = sig[1:]
	}
	for _, s := range sig {
		if s.kind != mdRef {
			break // "..."
		}
		source = append(source, r.diType(s.node))
	}
	params := f.Params
	if len(params) > 0 && params[0].SRet != nil {
		params = params[1:]
	}
	// Each C parameter is one parameter of LLVM, so that a pointer is no part of a struct.
	single := len(params) == len(source) && !r.m.Layout.SystemV() && f.Language != "DW_LANG_Rust"
	set := func(p *Param, t *DIType) bool {
		if single && t != nil && p.ByVal == nil && p.Type.Kind == PointerType && (t.Kind == DIStruct || t.Kind == DIUnion) {
			p.Indirect = r.indirect(t)
		}
		alike := t != nil && (p.ByVal != nil || p.Indirect != nil || p.Type.Kind == PointerType && isPointer(t) ||
			p.Type.Kind == FloatType && t.Kind == DIFloat || p.Type.Kind == IntType && isInteger(t) &&
			int64(p.Type.Bits) <= max(t.Bits, 1))
		if alike {
			p.DIType = t
			p.PointsToConst = t.Kind == DIPointer && t.Elem != nil && t.Elem.Const
		}
		return alike
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

// indirect returns the bytes of a struct that is passed by address. A struct with the size of a pointer is one.
func (r *reader) indirect(t *DIType) *Type {
	n := t.Bits / 8
	if n <= 0 || n == int64(r.m.Layout.Pointer)/8 {
		return nil
	}
	align := int64(1) // an alignment divides the size; the stack has at least 8
	for align < 8 && n%(2*align) == 0 {
		align *= 2
	}
	return &Type{Kind: ArrayType, Len: n, Elem: &Type{Kind: IntType, Bits: 8, Size: 1, StoreSize: 1, Align: 1}, Size: n,
		StoreSize: n, Align: align}
}

// describeReturn records the C type of a result that is a scalar both in C and in LLVM, or returned in memory.
//
// A struct in a register is neither.
func (f *Func) describeReturn(t *DIType) {
	f.ResultType = t
	if t != nil && (f.InMemory() >= 0 || f.Ret.Kind == PointerType && isPointer(t) || f.Ret.Kind == FloatType &&
		t.Kind == DIFloat ||
		f.Ret.Kind == IntType && isInteger(t) && int64(f.Ret.Bits) <= max(t.Bits, 1)) {
		f.RetDIType = t
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
