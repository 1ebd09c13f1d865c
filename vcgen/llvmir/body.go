package llvmir

import "github.com/unitproof/unitproof/vcgen/llvmir/lexer"

// funcReader reads the body of one function.
type funcReader struct {
	*reader
	fn    *Func
	regs  map[string]int // by name; a number <= firstAwaited until the definition is read
	types []*Type        // of the registers
	// ahead are the registers used before their definition, in a phi or in a block that precedes the definition in
	// the text.
	ahead []awaited
	// labels maps the names of blocks to numbers in the order of first mention.
	labels map[string]int
	places []labelPlace
	// unnamed is the number of the next value or block without a name.
	unnamed int
	// ordinal is the ordinal of the next instruction, see Instr.Ordinal.
	ordinal int
	// loop is Block.Loop of the block that is read.
	loop *Loc
}

// awaited is a register whose definition has not been read.
type awaited struct {
	typ *Type
	reg int // -1 until it is defined
	at  int // offset of its first use in the text
}

// labelPlace is the position of a label.
type labelPlace struct {
	block int // -1 until the block comes
	at    int // offset of its first mention in the text
}

// firstAwaited is the number of the first awaited register; the next ones count down.
//
// Defined registers are not negative.
const firstAwaited = -2

// body reads the blocks of fn. Registers are numbered in the order of their definitions.
func (r *reader) body(fn *Func, e entity) {
	f := &funcReader{reader: r, fn: fn, regs: map[string]int{}, labels: map[string]int{}}
	for _, p := range fn.Params {
		f.define(p.Name, p.Type)
		if lexer.Numeral([]byte(p.Name)) {
			f.unnamed++
		}
	}
	r.Seek(e.body)
	r.Expect('{')
	for !r.Is('}') {
		f.block()
	}
	if r.End != e.end && r.SkipSpace(r.End) != e.end {
		r.Fail("a function ends in its middle")
	}
	if len(fn.Blocks) == 0 {
		r.Fail("@%s has no blocks", fn.Name)
	}
	fn.NumRegs = len(f.types)
	f.settle()
	r.lowerGotos(fn)
	r.lowerVAArgs(fn)
	fn.Connect()
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if in.Op == OpPhi {
				dedupePhi(in)
			}
		}
	}
}

// define assigns a name to the next register.
func (f *funcReader) define(name string, t *Type) int {
	reg := len(f.types)
	if known, ok := f.regs[name]; ok {
		if known >= 0 {
			f.Fail("register %%%s is defined twice", name)
		}
		a := &f.ahead[firstAwaited-known]
		if a.typ != t {
			f.Fail("register %%%s has type %s here, and %s where it is used", name, t, a.typ)
		}
		a.reg = reg
	}
	f.regs[name] = reg
	f.types = append(f.types, t)
	f.fn.RegNames = append(f.fn.RegNames, name)
	return reg
}

// register reads the operand %name of type t.
func (f *funcReader) register(t *Type) Operand {
	name := f.Name()
	reg, ok := f.regs[string(name)]
	switch {
	case !ok:
		reg = firstAwaited - len(f.ahead)
		f.ahead = append(f.ahead, awaited{t, -1, f.Start})
		f.regs[string(name)] = reg
	case reg >= 0 && f.types[reg] != t:
		f.Fail("register %%%s has type %s, not %s", name, f.types[reg], t)
	case reg < 0 && f.ahead[firstAwaited-reg].typ != t:
		f.Fail("register %%%s has type %s elsewhere, not %s", name, f.ahead[firstAwaited-reg].typ, t)
	}
	f.Next()
	return Operand{Kind: OperandReg, Reg: reg, Type: t}
}

// operand reads a register or a constant of type t.
func (f *funcReader) operand(t *Type) Operand {
	if f.Kind == lexer.Local {
		return f.register(t)
	}
	return Operand{Kind: OperandConst, Const: f.constant(t), Type: t}
}

// typed reads a type and an operand of this type.
func (f *funcReader) typed() Operand { return f.operand(f.typ()) }

// label reads "label %name" and returns the number of the label.
func (f *funcReader) label() int {
	f.ExpectWord("label")
	return f.labelName()
}

// labelName reads the name of a block.
func (f *funcReader) labelName() int {
	if f.Kind != lexer.Local {
		f.Fail("%q stands where a block belongs", f.Shown())
	}
	n := f.labelOf(string(f.Name()))
	f.Next()
	return n
}

func (f *funcReader) labelOf(name string) int {
	n, ok := f.labels[name]
	if !ok {
		n = len(f.places)
		f.labels[name] = n
		f.places = append(f.places, labelPlace{-1, f.Start})
	}
	return n
}

// block reads a block up to its terminator.
func (f *funcReader) block() {
	b := &Block{Index: len(f.fn.Blocks)}
	if f.Kind == lexer.Label {
		b.Name = string(f.Name())
		if lexer.Numeral([]byte(b.Name)) {
			f.numbered(b.Name)
		}
	} else {
		b.Name = itoa(f.unnamed)
		f.unnamed++
	}
	l := &f.places[f.labelOf(b.Name)]
	if l.block >= 0 {
		f.Fail("block %s is defined twice", b.Name)
	}
	l.block = b.Index
	if f.Kind == lexer.Label {
		f.Next()
	}
	f.fn.Blocks = append(f.fn.Blocks, b)
	var few [16]*Instr // most blocks are short, and the final slice has no spare capacity
	instrs := few[:0]
	f.loop = nil
	for terminated := false; !terminated; {
		if f.Is('}') || f.Kind == lexer.Label || f.Kind == lexer.EOF {
			f.Fail("block %s has no terminator", b.Name)
		}
		var in *Instr
		in, terminated = f.instruction()
		f.ordinal++
		if in == nil {
			continue
		}
		f.nextID++
		in.ID, in.Ordinal = f.nextID, f.ordinal-1
		instrs = append(instrs, in)
	}
	b.Instrs, b.Loop = append(make([]*Instr, 0, len(instrs)), instrs...), f.loop
	b.Succs = b.Term().Succs
}

// numbered checks the number of a value or block without a name.
func (f *funcReader) numbered(name string) {
	if name != itoa(f.unnamed) {
		f.Fail("number %s stands where %d belongs", name, f.unnamed)
	}
	f.unnamed++
}

// settle replaces registers and blocks that were used before their definition.
func (f *funcReader) settle() {
	for _, a := range f.ahead {
		if a.reg < 0 {
			f.Start = a.at
			f.Seek(a.at)
			f.Fail("register %s is not defined", f.Word())
		}
	}
	for _, l := range f.places {
		if l.block < 0 {
			f.Seek(l.at)
			f.Fail("block %s is not defined", f.Word())
		}
	}
	for _, b := range f.fn.Blocks {
		for _, in := range b.Instrs {
			for i, s := range in.Succs {
				in.Succs[i] = f.places[s].block
			}
			for i, p := range in.In {
				in.In[i] = f.places[p].block
			}
			if len(f.ahead) == 0 {
				continue
			}
			f.settleOperand(&in.Callee)
			for i := range in.Args {
				f.settleOperand(&in.Args[i])
			}
		}
	}
}

func (f *funcReader) settleOperand(o *Operand) {
	if o.Kind == OperandReg && o.Reg <= firstAwaited {
		o.Reg = f.ahead[firstAwaited-o.Reg].reg
	}
}
