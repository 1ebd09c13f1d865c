package llvmir

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/llir/llvm/asm"
	"github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/constant"
	"github.com/llir/llvm/ir/enum"
	"github.com/llir/llvm/ir/metadata"
	"github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"github.com/unitproof/unitproof/vcgen/llvmir/lexer"
)

// oracle reads LLVM assembly with the parser of github.com/llir/llvm, for comparison with our reader (agree_test.go).
//
// The translation after parsing is independent, too. Both share the representation of types, layouts, folded
// constants and literals.
type oracle struct {
	*reader

	globals map[*ir.Global]*Global
	funcs   map[*ir.Func]*Func
	ifuncs  map[*ir.IFunc]*Func
	// resolving has the aliases that are being resolved, to detect cycles.
	resolving map[*ir.Alias]bool
	locs      map[*metadata.DILocation]*Loc
	scopes    map[metadata.Field]*Scope
	vars      map[*metadata.DILocalVariable]*DIVar
	diTypes   map[metadata.Field]*DIType

	// Progress of the oracle, for errors.
	stage string
	instr interface{ LLString() string }
}

// readByOracle is Read with the oracle.
func readByOracle(text []byte, opts ReadOptions) (m *Module, err error) {
	r := &oracle{reader: &reader{Lexer: lexer.Lexer{Text: text}, opts: opts}, stage: "preparing the text"}
	defer func() {
		if p := recover(); p != nil {
			m, err = nil, fmt.Errorf("%s: %v", r.stage, p)
		}
	}()
	prepared, err := prepare(text)
	if err != nil {
		return nil, err
	}
	src, err := asm.ParseString("module.ll", prepared)
	if err != nil {
		return nil, err
	}
	r.init()
	r.locs = map[*metadata.DILocation]*Loc{}
	r.scopes = map[metadata.Field]*Scope{}
	r.vars = map[*metadata.DILocalVariable]*DIVar{}
	r.diTypes = map[metadata.Field]*DIType{}
	if err := r.module(src); err != nil {
		return nil, err
	}
	r.m.Void, r.m.Int64, r.m.Word = r.voidType(), r.intType(64), r.intType(int64(r.m.Layout.Pointer))
	return r.m, nil
}

func (r *oracle) module(src *ir.Module) error {
	r.stage = "module header"
	l, err := ParseLayout(src.DataLayout, src.TargetTriple)
	if err != nil {
		return err
	}
	r.m.Layout = l
	r.globals = make(map[*ir.Global]*Global, len(src.Globals))
	r.funcs = make(map[*ir.Func]*Func, len(src.Funcs))
	r.ifuncs = map[*ir.IFunc]*Func{}
	r.resolving = map[*ir.Alias]bool{}

	// Objects first, because constants and instructions refer to them.
	var ctors, dtors *ir.Global
	for _, g := range src.Globals {
		r.stage = "variable @" + g.Name()
		if strings.HasPrefix(g.Name(), "llvm.") {
			if g.Name() == "llvm.global_ctors" {
				ctors = g
			}
			if g.Name() == "llvm.global_dtors" {
				dtors = g
			}
			continue
		}
		r.declareGlobal(g)
	}
	for _, f := range src.Funcs {
		r.stage = "function @" + f.Name()
		r.declareFunc(f)
	}
	for _, f := range src.IFuncs {
		r.stage = "ifunc @" + f.Name()
		r.declareIFunc(f)
	}
	for _, a := range src.Aliases {
		r.stage = "alias @" + a.Name()
		r.nameAlias(a)
	}
	for _, g := range src.Globals {
		if dst := r.globals[g]; dst != nil && g.Init != nil {
			r.stage = "initialiser of @" + g.Name()
			r.weak = ""
			dst.Init = r.constant(g.Init)
			if r.weak != "" && !strings.HasPrefix(g.Name(), "llvm.") {
				r.m.Unsupported = r.weak
			}
		}
	}
	for _, f := range src.Funcs {
		r.stage = "function @" + f.Name()
		if len(f.Blocks) > 0 {
			r.body(r.funcs[f], f)
		}
		r.instr = nil
	}
	if ctors != nil {
		r.stage = "llvm.global_ctors"
		r.m.Ctors = r.byPriority(ctors)
	}
	if dtors != nil {
		r.stage = "llvm.global_dtors"
		r.m.Dtors = r.byPriority(dtors)
		slices.Reverse(r.m.Dtors)
	}
	r.debug.finish()
	return nil
}

func (r *oracle) declareGlobal(src *ir.Global) {
	g := &Global{
		Name:        src.Name(),
		SourceName:  src.Name(),
		Type:        r.typ(src.ContentType),
		Constant:    src.Immutable,
		Arbitrary:   src.ExternallyInitialized,
		UnnamedAddr: src.UnnamedAddr == enum.UnnamedAddrUnnamedAddr,
		External:    r.external(src.Linkage),
		ThreadLocal: src.TLSModel != enum.TLSModelNone,
		Align:       int64(src.Align),
	}
	if g.Align == 0 {
		g.Align = max(1, g.Type.Align)
	}
	r.describeGlobal(g, src.Metadata)
	r.globals[src] = g
	r.m.Globals = append(r.m.Globals, g)
	r.m.GlobalByName[g.Name] = g
}

// external reports whether other parts of the program may refer to a name.
func (r *oracle) external(linkage enum.Linkage) bool {
	return linkage != enum.LinkageInternal && linkage != enum.LinkagePrivate
}

// alias returns the address of an alias's target.
func (r *oracle) alias(src *ir.Alias) *Const {
	t := r.typ(src.Type())
	if r.resolving[src] {
		r.Fail("alias @%s refers to itself", src.Name())
		return r.undef(t)
	}
	r.resolving[src] = true
	c := r.constant(src.Aliasee)
	delete(r.resolving, src)
	return r.foldBitCast(c, t, r.unsupportedConst(t, "alias @"+src.Name()))
}

// nameAlias registers the target of an alias under the alias's name, too.
func (r *oracle) nameAlias(src *ir.Alias) {
	c := r.alias(src)
	switch {
	case c.Kind == ConstFunc:
		if r.m.FuncByName[src.Name()] == nil {
			r.m.FuncByName[src.Name()] = c.Func
		}
	case c.Kind == ConstGlobal && c.Offset == 0:
		if r.m.GlobalByName[src.Name()] == nil {
			r.m.GlobalByName[src.Name()] = c.Global
		}
	}
}

// byPriority reads llvm.global_ctors or llvm.global_dtors: an array of { i32 priority, void ()* function, i8* data }.
func (r *oracle) byPriority(src *ir.Global) []*Func {
	array, ok := src.Init.(*constant.Array)
	if !ok {
		return nil // zeroinitializer: no constructors
	}
	type entry struct {
		priority int64
		fn       *Func
	}
	var entries []entry
	for _, e := range array.Elems {
		s, ok := e.(*constant.Struct)
		if !ok || len(s.Fields) < 2 {
			r.Fail("entry %s is no struct", e)
			return nil
		}
		priority, fn := r.constant(s.Fields[0]), r.constant(s.Fields[1])
		if priority.Kind != ConstInt || fn.Kind != ConstFunc {
			r.Fail("entry %s is no priority with a function", e)
			return nil
		}
		entries = append(entries, entry{priority.Int.Int64(), fn.Func})
	}
	sort.SliceStable(entries, func(i, j int) bool { return entries[i].priority < entries[j].priority })
	var fns []*Func
	for _, e := range entries {
		fns = append(fns, e.fn)
	}
	return fns
}

func (r *oracle) declareFunc(src *ir.Func) {
	f := &Func{
		Name:       src.Name(),
		SourceName: src.Name(),
		Type:       r.typ(src.Sig),
		NoReturn:   hasFuncAttr(src.FuncAttrs, enum.FuncAttrNoReturn),
		Variadic:   src.Sig.Variadic,

		ReturnsTwice: hasFuncAttr(src.FuncAttrs, enum.FuncAttrReturnsTwice),
		External:     r.external(src.Linkage),
		Weak:         src.Linkage == enum.LinkageExternWeak,
		Replaceable: src.Linkage == enum.LinkageWeak || src.Linkage == enum.LinkageWeakODR ||
			src.Linkage == enum.LinkageLinkOnce || src.Linkage == enum.LinkageLinkOnceODR,
	}
	f.Ret = f.Type.Ret
	for _, attr := range src.ReturnAttrs {
		f.RetSigned = f.RetSigned || attr == enum.ReturnAttrSignExt
	}
	for i, p := range src.Params {
		param := Param{Name: p.Name(), Type: r.typ(p.Typ)}
		for _, attr := range p.Attrs {
			switch a := attr.(type) {
			case ir.Byval:
				param.ByVal = r.byvalType(a, param.Type)
			case ir.SRet:
				param.SRet = param.Type.Elem
			case ir.Align:
				param.Align = int64(a)
			case ir.InAlloca, ir.Preallocated:
				f.Unsupported = "an inalloca parameter"
			case enum.ParamAttr:
				param.NoAlias = param.NoAlias || a == enum.ParamAttrNoAlias
			}
		}
		if len(src.Blocks) == 0 && p.IsUnnamed() {
			// llir numbers parameters only in definitions.
			param.Name = itoa(i)
		}
		f.Params = append(f.Params, param)
	}
	f.Features = textAttr(src.FuncAttrs, "target-features")
	if hasFuncAttr(src.FuncAttrs, enum.FuncAttrNaked) {
		f.Unsupported = "a naked function"
	}
	r.describeFunc(f, src.Metadata)
	r.funcs[src] = f
	r.m.Funcs = append(r.m.Funcs, f)
	r.m.FuncByName[f.Name] = f
}

// byvalType returns the pointee of a byval parameter or argument.
func (r *oracle) byvalType(a ir.Byval, pointer *Type) *Type {
	if a.Typ != nil {
		return r.typ(a.Typ)
	}
	return pointer.Elem
}

// declareIFunc adds a function whose body is selected by a resolver at program start.
func (r *oracle) declareIFunc(src *ir.IFunc) {
	t := r.typ(src.Type())
	if t.Kind == PointerType {
		t = t.Elem
	}
	if t.Kind != FuncType {
		r.Fail("type %s is no function", t)
		return
	}
	f := &Func{
		Name: src.Name(), SourceName: src.Name(), Type: t, Ret: t.Ret, Variadic: t.Variadic,
		External: r.external(src.Linkage), Unsupported: "an ifunc",
	}
	for i, p := range t.Params {
		f.Params = append(f.Params, Param{Name: itoa(i), Type: p})
	}
	r.ifuncs[src] = f
	r.m.Funcs = append(r.m.Funcs, f)
	r.m.FuncByName[f.Name] = f
}

func hasFuncAttr(attrs []ir.FuncAttribute, want enum.FuncAttr) bool {
	for _, a := range attrs {
		switch a := a.(type) {
		case enum.FuncAttr:
			if a == want {
				return true
			}
		case *ir.AttrGroupDef:
			if hasFuncAttr(a.FuncAttrs, want) {
				return true
			}
		}
	}
	return false
}

// textAttr returns the value of a string attribute, "" if there is none.
func textAttr(attrs []ir.FuncAttribute, key string) string {
	for _, a := range attrs {
		switch a := a.(type) {
		case ir.AttrPair:
			if a.Key == key {
				return a.Value
			}
		case *ir.AttrGroupDef:
			if v := textAttr(a.FuncAttrs, key); v != "" {
				return v
			}
		}
	}
	return ""
}

// oracleFunc lowers the body of one function.
type oracleFunc struct {
	*oracle
	fn     *Func
	regs   map[value.Value]int
	types  []*Type // of the registers
	blocks map[*ir.Block]int
	// ordinal is the ordinal of the next instruction, see Instr.Ordinal.
	ordinal int
	loop    *Loc
}

// body lowers the blocks of src into fn.
//
// Registers are numbered first, because a phi, or a block that precedes the definition in the text, may use a later
// one.
func (r *oracle) body(fn *Func, src *ir.Func) {
	f := &oracleFunc{oracle: r, fn: fn, regs: map[value.Value]int{}, blocks: make(map[*ir.Block]int, len(src.Blocks))}
	for i, p := range src.Params {
		f.number(p, p.Name(), fn.Params[i].Type)
	}
	for i, b := range src.Blocks {
		f.blocks[b] = i
		for _, in := range b.Insts {
			f.numberResult(in)
		}
		f.numberResult(b.Term)
	}
	fn.NumRegs = len(f.types)
	fn.Blocks = make([]*Block, len(src.Blocks))
	for i, b := range src.Blocks {
		fn.Blocks[i] = f.block(i, b)
	}
	f.lowerGotos(fn)
	f.lowerVAArgs(fn)
	fn.Connect()
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if in.Op == OpPhi {
				dedupePhi(in)
			}
		}
	}
}

func (f *oracleFunc) number(v value.Value, name string, t *Type) {
	f.regs[v] = len(f.types)
	f.types = append(f.types, t)
	f.fn.RegNames = append(f.fn.RegNames, name)
}

// numberResult assigns a register to an instruction with a result.
func (f *oracleFunc) numberResult(in any) {
	v, ok := in.(value.Named)
	if !ok {
		return
	}
	t := f.typ(resultType(v))
	if t.Kind != VoidType {
		f.number(v, v.Name(), t)
	}
}

// resultType corrects llir, in which the success flag of cmpxchg is an i8.
func resultType(v value.Value) types.Type {
	if c, ok := v.(*ir.InstCmpXchg); ok && c.New != nil {
		return types.NewStruct(c.New.Type(), types.I1)
	}
	return v.Type()
}

func (f *oracleFunc) block(index int, src *ir.Block) *Block {
	b := &Block{Index: index, Name: src.Name(), Instrs: make([]*Instr, 0, len(src.Insts)+1)}
	add := func(in *Instr) {
		f.ordinal++
		if in == nil {
			return
		}
		f.nextID++
		in.ID, in.Ordinal = f.nextID, f.ordinal-1
		b.Instrs = append(b.Instrs, in)
	}
	for _, s := range src.Insts {
		f.instr = s
		f.weak = ""
		add(f.certain(f.instruction(s)))
	}
	f.loop = nil
	if src.Term == nil {
		f.Fail("block %s has no terminator", b.Name)
		return b
	}
	f.instr = src.Term
	f.weak = ""
	add(f.certain(f.terminator(src.Term)))
	b.Succs, b.Loop = b.Term().Succs, f.loop
	return b
}

// target returns the index of a block operand.
func (f *oracleFunc) target(v value.Value) int {
	if b, ok := v.(*ir.Block); ok {
		if i, ok := f.blocks[b]; ok {
			return i
		}
	}
	f.Fail("a branch leads to no block of the function")
	return 0
}

// certain marks an instruction as unsupported if it depends on whether a weak symbol exists.
func (f *oracleFunc) certain(in *Instr) *Instr {
	if f.weak == "" || in == nil {
		return in
	}
	return unsupported(in, "%s", f.weak)
}
