package llvmir

import (
	"slices"

	"github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/enum"
	"github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"
)

func (r *reader) declareFunc(src *ir.Func) {
	f := &Func{
		Name:       src.Name(),
		SourceName: src.Name(),
		Type:       r.typ(src.Sig),
		NoReturn:   hasFuncAttr(src.FuncAttrs, enum.FuncAttrNoReturn),
		Variadic:   src.Sig.Variadic,
		External:   r.external(src.Name(), src.Linkage),
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
				param.SRet = true
			case ir.Align:
				param.Align = int64(a)
			case ir.InAlloca, ir.Preallocated:
				f.Unsupported = "an inalloca parameter"
			}
		}
		if len(src.Blocks) == 0 && p.IsUnnamed() {
			// llir numbers parameters in definitions only.
			param.Name = itoa(i)
		}
		f.Params = append(f.Params, param)
	}
	if hasFuncAttr(src.FuncAttrs, enum.FuncAttrNaked) {
		f.Unsupported = "a naked function"
	}
	r.describeFunc(f, src.Metadata)
	if consts, ok := r.opts.ConstParams[f.Name]; ok {
		for i := range f.Params {
			f.Params[i].PointsToConst = i < len(consts) && consts[i]
		}
	}
	r.funcs[src] = f
	r.m.Funcs = append(r.m.Funcs, f)
	r.m.FuncByName[f.Name] = f
}

// byvalType returns the pointee of a byval parameter or argument.
func (r *reader) byvalType(a ir.Byval, pointer *Type) *Type {
	if a.Typ != nil {
		return r.typ(a.Typ)
	}
	return pointer.Elem
}

// declareIFunc adds a function whose body a resolver picks when the program starts.
func (r *reader) declareIFunc(src *ir.IFunc) {
	t := r.typ(src.Type())
	if t.Kind == PointerType {
		t = t.Elem
	}
	if t.Kind != FuncType {
		r.fail("type %s is no function", t)
		return
	}
	f := &Func{
		Name: src.Name(), SourceName: src.Name(), Type: t, Ret: t.Ret, Variadic: t.Variadic,
		External: r.external(src.Name(), src.Linkage), Unsupported: "an ifunc",
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

// funcReader lowers one function body.
type funcReader struct {
	*reader
	fn     *Func
	regs   map[value.Value]int
	types  []*Type // of the registers
	blocks map[*ir.Block]int
	// ordinal is that of the next instruction, see Instr.Ordinal.
	ordinal int
}

// body lowers the blocks of src into fn. Registers are numbered first, since a phi or a block
// that stands earlier in the text may use a later register.
func (r *reader) body(fn *Func, src *ir.Func) {
	f := &funcReader{reader: r, fn: fn, regs: map[value.Value]int{}, blocks: make(map[*ir.Block]int, len(src.Blocks))}
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
		if r.err != nil {
			return
		}
	}
	connect(fn)
	f.endLiterals()
	f.endBypassed()
	f.markMagnitudes()
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if in.Op == OpPhi {
				dedupePhi(in)
			}
		}
	}
}

func (f *funcReader) number(v value.Value, name string, t *Type) {
	f.regs[v] = len(f.types)
	f.types = append(f.types, t)
	f.fn.RegNames = append(f.fn.RegNames, name)
}

// numberResult gives a register to an instruction with a result.
func (f *funcReader) numberResult(in any) {
	v, ok := in.(value.Named)
	if !ok {
		return
	}
	t := f.typ(resultType(v))
	if t.Kind != VoidType {
		f.number(v, v.Name(), t)
	}
}

// resultType corrects llir, which gives cmpxchg an i8 for its success flag.
func resultType(v value.Value) types.Type {
	if c, ok := v.(*ir.InstCmpXchg); ok && c.New != nil {
		return types.NewStruct(c.New.Type(), types.I1)
	}
	return v.Type()
}

func (f *funcReader) block(index int, src *ir.Block) *Block {
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
	if src.Term == nil {
		f.fail("block %s has no terminator", b.Name)
		return b
	}
	f.instr = src.Term
	f.weak = ""
	add(f.certain(f.terminator(src.Term)))
	b.Succs = b.Term().Succs
	return b
}

// connect fills in the predecessors.
func connect(fn *Func) {
	for _, b := range fn.Blocks {
		for _, s := range b.Succs {
			to := fn.Blocks[s]
			if n := len(to.Preds); n == 0 || to.Preds[n-1] != b.Index {
				to.Preds = append(to.Preds, b.Index)
			}
		}
	}
}

// dedupePhi drops repeated edges: LLVM lists a predecessor once per edge, with equal values.
func dedupePhi(in *Instr) {
	for i := 0; i < len(in.In); {
		if slices.Contains(in.In[:i], in.In[i]) {
			in.In = slices.Delete(in.In, i, i+1)
			in.Args = slices.Delete(in.Args, i, i+1)
			continue
		}
		i++
	}
}

// target returns the index of a block operand.
func (f *funcReader) target(v value.Value) int {
	if b, ok := v.(*ir.Block); ok {
		if i, ok := f.blocks[b]; ok {
			return i
		}
	}
	f.fail("a branch leads to no block of the function")
	return 0
}

// certain gives up on an instruction that depends on whether a weak symbol is there.
func (f *funcReader) certain(in *Instr) *Instr {
	if f.weak == "" || in == nil {
		return in
	}
	return unsupported(in, "%s", f.weak)
}
