package llvmir

import (
	"path"
	"strings"

	"github.com/llir/llvm/ir/enum"
	"github.com/llir/llvm/ir/metadata"
)

// fileName returns the name of a source file, subject to the options.
func (r *oracle) fileName(f *metadata.DIFile) string {
	if f == nil {
		return ""
	}
	if r.opts.KeepFileNames || f.Filename == "" || f.Directory == "" || path.IsAbs(f.Filename) {
		return f.Filename
	}
	return path.Join(f.Directory, f.Filename)
}

func (r *oracle) location(node any) *Loc {
	n, ok := node.(*metadata.DILocation)
	if !ok || n == nil {
		return nil
	}
	if l, ok := r.locs[n]; ok {
		return l
	}
	l := &Loc{Line: int(n.Line), Col: int(n.Column)}
	r.locs[n] = l
	if l.Scope = r.scope(n.Scope); l.Scope != nil {
		l.File = l.Scope.File
	}
	if n.InlinedAt != nil {
		l.InlinedAt = r.location(n.InlinedAt)
		for at := l.InlinedAt; at != nil; at = at.InlinedAt {
			if at == l {
				r.Fail("a source location is inlined at itself")
				l.InlinedAt = nil
				break
			}
		}
	}
	return l
}

// scope returns the subprogram or block of a node; nil for other scopes.
func (r *oracle) scope(node metadata.Field) *Scope {
	switch node.(type) {
	case *metadata.DISubprogram, *metadata.DILexicalBlock, *metadata.DILexicalBlockFile:
	default:
		return nil
	}
	if s, ok := r.scopes[node]; ok {
		return s
	}
	s := &Scope{}
	r.scopes[node] = s
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
			r.Fail("a scope lies in itself")
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

func (r *oracle) variable(node any) *DIVar {
	n, ok := node.(*metadata.DILocalVariable)
	if !ok || n == nil {
		return nil
	}
	if v, ok := r.vars[n]; ok {
		return v
	}
	v := &DIVar{
		Name: n.Name, Arg: int(n.Arg), Type: r.diType(n.Type), Scope: r.scope(n.Scope),
		File: r.fileName(n.File), Line: int(n.Line),
	}
	r.vars[n] = v
	return v
}

// describeGlobal adds the debug information of a variable.
func (r *oracle) describeGlobal(g *Global, attached []*metadata.Attachment) {
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

// describeFunc adds the debug information of a function and its parameters.
func (r *oracle) describeFunc(f *Func, attached []*metadata.Attachment) {
	for _, a := range attached {
		sp, ok := a.Node.(*metadata.DISubprogram)
		if !ok || a.Name != "dbg" {
			continue
		}
		if sp.Name != "" {
			f.SourceName = sp.Name
		}
		if sp.Unit != nil {
			f.Language = sp.Unit.Language.String()
		}
		f.Scope = r.scope(sp)
		f.Loc = &Loc{File: f.Scope.File, Line: int(sp.Line), Col: 1, Scope: f.Scope}
		if t, ok := sp.Type.(*metadata.DISubroutineType); ok && t.Types != nil {
			r.describeParams(f, t.Types.Fields)
		}
		return
	}
}

// describeParams assigns C parameters to LLVM parameters.
//
// A struct passed by value may become zero, one or two LLVM parameters. Parameters after the first such struct,
// counted from either end, remain without a C type.
func (r *oracle) describeParams(f *Func, sig []metadata.Field) {
	var source []*DIType
	if len(sig) > 0 {
		if _, void := sig[0].(*metadata.NullLit); !void && sig[0] != nil {
			f.describeReturn(r.diType(sig[0]))
		}
		sig = sig[1:]
	}
	for _, s := range sig {
		if _, ok := s.(*metadata.NullLit); ok || s == nil {
			break // "..."
		}
		source = append(source, r.diType(s))
	}
	params := f.Params
	if len(params) > 0 && params[0].SRet != nil {
		params = params[1:]
	}
	set := func(p *Param, t *DIType) bool {
		single := t != nil && (p.ByVal != nil || p.Type.Kind == PointerType && isPointer(t) ||
			p.Type.Kind == FloatType && t.Kind == DIFloat || p.Type.Kind == IntType && isInteger(t) &&
			int64(p.Type.Bits) <= max(t.Bits, 1))
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

// diType converts a type node.
//
// Types may be cyclic: a type is stored in the table before its members are converted. A qualified or renamed copy
// that is created in the meantime receives its members in finish.
func (r *oracle) diType(node metadata.Field) *DIType {
	if node == nil {
		return nil
	}
	if _, ok := node.(*metadata.NullLit); ok {
		return nil
	}
	if t, ok := r.diTypes[node]; ok {
		return t
	}
	switch n := node.(type) {
	case *metadata.DIBasicType:
		return r.basicType(n)
	case *metadata.DIDerivedType:
		return r.derivedType(n)
	case *metadata.DICompositeType:
		return r.compositeType(n)
	case *metadata.DISubroutineType:
		return r.functionType(n)
	}
	t := r.newDIType(node, DIVoid)
	r.setName(t, "void")
	return t
}

func (r *oracle) newDIType(node metadata.Field, kind DITypeKind) *DIType {
	t := &DIType{Kind: kind}
	r.diTypes[node] = t
	return t
}

func (r *oracle) basicType(n *metadata.DIBasicType) *DIType {
	t := r.newDIType(n, DIInt)
	t.Bits = int64(n.Size)
	r.setName(t, n.Name)
	switch n.Encoding {
	case enum.DwarfAttEncodingBoolean:
		t.Kind = DIBool
	case enum.DwarfAttEncodingSignedChar:
		t.Kind, t.Signed = DIChar, true
	case enum.DwarfAttEncodingUnsignedChar, enum.DwarfAttEncodingUTF:
		t.Kind = DIChar
	case enum.DwarfAttEncodingSigned, enum.DwarfAttEncodingSignedFixed:
		t.Signed = true
	case enum.DwarfAttEncodingFloat:
		t.Kind, t.Signed = DIFloat, true
	case enum.DwarfAttEncodingComplexFloat:
		t.Kind = DIStruct
		part := &DIType{Kind: DIFloat, Bits: t.Bits / 2, Signed: true}
		r.setName(part, strings.TrimPrefix(n.Name, "_Complex "))
		if n.Name == "complex" {
			part.Name = "double"
		}
		t.Fields = []DIField{
			{Name: "real", Type: part, BitSize: part.Bits},
			{Name: "imag", Type: part, BitOffset: part.Bits, BitSize: part.Bits},
		}
	default:
		if n.Tag == enum.DwarfTagUnspecifiedType {
			t.Kind = DIVoid
		}
	}
	return t
}

func (r *oracle) derivedType(n *metadata.DIDerivedType) *DIType {
	switch n.Tag {
	case enum.DwarfTagPointerType, enum.DwarfTagReferenceType, enum.DwarfTagPtrToMemberType:
		t := r.newDIType(n, DIPointer)
		t.Bits = int64(n.Size)
		t.Elem = r.diType(n.BaseType)
		t.Name = r.declare(t, "", 0)
		return t
	case enum.DwarfTagTypedef, enum.DwarfTagConstType, enum.DwarfTagVolatileType, enum.DwarfTagRestrictType,
		enum.DwarfTagAtomicType:
		return r.qualifiedType(n)
	case enum.DwarfTagMember:
		return r.diType(n.BaseType)
	}
	t := r.newDIType(n, DIVoid)
	r.setName(t, "void")
	return t
}

// qualifiedType strips a typedef or qualifier: the result is the underlying type, renamed or made const.
func (r *oracle) qualifiedType(n *metadata.DIDerivedType) *DIType {
	t := r.newDIType(n, DIVoid)
	r.debug.final[t] = true // also ends cycles without a struct, which are not valid C
	if n.Tag == enum.DwarfTagTypedef {
		t.Name = n.Name
	}
	base := r.diType(n.BaseType)
	if base == nil {
		base = &DIType{Kind: DIVoid, Name: "void"}
		r.debug.final[base] = true
	}
	if base == t {
		t.Name = "void"
		return t
	}
	*t = *base
	switch n.Tag {
	case enum.DwarfTagTypedef:
		t.Name = n.Name
	case enum.DwarfTagConstType:
		t.Const = true
		if !r.debug.final[base] {
			delete(r.debug.final, t)
		}
	default:
		if !r.debug.final[base] {
			delete(r.debug.final, t)
		}
	}
	r.debug.copies = append(r.debug.copies, qualifiedCopy{t, base})
	return t
}

func (r *oracle) compositeType(n *metadata.DICompositeType) *DIType {
	switch n.Tag {
	case enum.DwarfTagArrayType:
		return r.arrayType(n)
	case enum.DwarfTagEnumerationType:
		t := r.newDIType(n, DIEnum)
		t.Bits = int64(n.Size)
		r.setName(t, tagged("enum", n.Name))
		if base := r.diType(n.BaseType); base != nil {
			t.Signed = base.Signed
		}
		for _, e := range elements(n.Elements) {
			if e, ok := e.(*metadata.DIEnumerator); ok {
				t.Enums = append(t.Enums, DIEnumerator{e.Name, e.Value})
			}
		}
		return t
	}
	kind, word := DIStruct, "struct"
	if n.Tag == enum.DwarfTagUnionType {
		kind, word = DIUnion, "union"
	}
	t := r.newDIType(n, kind)
	t.Bits = int64(n.Size)
	t.Tag = n.Name
	r.setName(t, tagged(word, t.Tag))
	for _, e := range elements(n.Elements) {
		m, ok := e.(*metadata.DIDerivedType)
		if !ok || m.Tag != enum.DwarfTagMember {
			continue
		}
		t.Fields = append(t.Fields, DIField{
			Name: m.Name, Type: r.diType(m.BaseType), BitOffset: int64(m.Offset), BitSize: int64(m.Size),
			BitField: m.Flags&enum.DIFlagBitField != 0,
		})
	}
	return t
}

func elements(t *metadata.Tuple) []metadata.Field {
	if t == nil {
		return nil
	}
	return t.Fields
}

// arrayType creates one array per dimension, the first dimension outermost.
func (r *oracle) arrayType(n *metadata.DICompositeType) *DIType {
	t := r.newDIType(n, DIArray)
	var counts []int64
	for _, e := range elements(n.Elements) {
		if s, ok := e.(*metadata.DISubrange); ok {
			counts = append(counts, subrangeCount(s))
		}
	}
	if len(counts) == 0 {
		counts = []int64{-1}
	}
	elem := r.diType(n.BaseType)
	for i := len(counts) - 1; i >= 0; i-- {
		a := t
		if i > 0 {
			a = &DIType{Kind: DIArray}
		}
		a.Elem, a.Count = elem, counts[i]
		if a.Count > 0 && elem != nil {
			a.Bits = elem.Bits * a.Count
		}
		a.Name = r.declare(a, "", 0)
		elem = a
	}
	if n.Size != 0 {
		t.Bits = int64(n.Size)
	}
	return t
}

func subrangeCount(s *metadata.DISubrange) int64 {
	switch c := s.Count.(type) {
	case metadata.IntLit:
		return int64(c)
	case metadata.UintLit:
		return int64(c)
	}
	return -1
}

// functionType has the result in Elem and the parameters in Fields.
func (r *oracle) functionType(n *metadata.DISubroutineType) *DIType {
	t := r.newDIType(n, DIFunc)
	for i, e := range elements(n.Types) {
		p := r.diType(e)
		if i == 0 {
			t.Elem = p
		} else {
			t.Fields = append(t.Fields, DIField{Type: p})
		}
	}
	t.Name = r.declare(t, "", 0)
	return t
}
