package llvmir

import (
	"slices"
	"strconv"
	"strings"

	"github.com/unitproof/unitproof/vcgen/llvmir/lexer"
)

func itoa(i int) string { return strconv.Itoa(i) }

// set returns the set of words in a text.
func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// declareFunc reads a function up to its body.
func (r *reader) declareFunc(e *entity) {
	s := r.declareSymbol(e.name)
	for r.Kind == lexer.MetaName {
		r.attachedTo(s)
	}
	h := r.header()
	r.callingConvention()
	result := r.valueAttrs(nil)
	ret := r.typ()
	if r.Kind != lexer.Global {
		r.Fail("%q stands where the name of a function belongs", r.Shown())
	}
	r.Next()
	f := &Func{Name: e.name, SourceName: e.name, Ret: ret, RetSigned: result.signExt, External: h.external}
	r.params(f, e.body > 0)
	facts := r.funcTail(s, e)
	f.ReturnsTwice = facts.returnsTwice
	f.Features = facts.features
	if f.NoReturn = facts.noReturn; facts.naked {
		f.Unsupported = "a naked function"
	}
	s.fn, f.Weak, f.Replaceable = f, h.weak, h.replaceable
	s.address = &Const{Kind: ConstFunc, Type: r.pointerTo(f.Type, 0), Func: f}
	r.m.Funcs = append(r.m.Funcs, f)
	r.m.FuncByName[f.Name] = f
}

// params reads the parameters of a function. In a definition, they share numbers with its unnamed values.
func (r *reader) params(f *Func, isDefinition bool) {
	r.Expect('(')
	var types []*Type
	unnamed := 0
	for !r.Is(')') {
		if r.Kind == lexer.Dots {
			f.Variadic = true
			r.Next()
			break
		}
		p := Param{Type: r.typ()}
		a := r.valueAttrs(p.Type)
		p.ByVal, p.SRet, p.Align, p.NoAlias = a.byVal, a.sret, a.align, a.noAlias
		if a.inAlloca {
			f.Unsupported = "an inalloca parameter"
		}
		switch {
		case r.Kind == lexer.Local:
			p.Name = string(r.Name())
			if lexer.Numeral([]byte(p.Name)) {
				if p.Name != itoa(unnamed) {
					r.Fail("parameter %%%s stands where %%%d belongs", p.Name, unnamed)
				}
				unnamed++
			}
			r.Next()
		case isDefinition:
			p.Name = itoa(unnamed)
			unnamed++
		default:
			p.Name = itoa(len(f.Params))
		}
		types = append(types, p.Type)
		f.Params = append(f.Params, p)
		if !r.Accept(',') {
			break
		}
	}
	r.Expect(')')
	f.Type = r.funcType(f.Ret, types, f.Variadic)
}

// funcTail reads the part after the parameters of a function.
func (r *reader) funcTail(s *symbol, e *entity) funcFacts {
	end := e.end
	if e.body > 0 {
		end = e.body
	}
	var facts funcFacts
	for r.Start < end && r.Kind != lexer.EOF {
		at := r.Start
		f := r.funcAttrs()
		facts.add(f)
		switch {
		case r.Start >= end || r.Kind == lexer.EOF:
		case r.Kind == lexer.MetaName:
			r.attachedTo(s)
		case r.AcceptWord("unnamed_addr"), r.AcceptWord("local_unnamed_addr"):
		case r.IsWord("addrspace"):
			if r.addrSpace() != 0 {
				r.Fail("a function in another address space")
			}
		case r.AcceptWord("section"), r.AcceptWord("partition"), r.AcceptWord("gc"):
			r.Str()
		case r.AcceptWord("comdat"):
			r.comdat()
		case r.AcceptWord("align"):
			r.Uint(1 << 32)
		case r.IsWord("personality"), r.IsWord("prefix"), r.IsWord("prologue"):
			// They may refer to any symbol, so they are skipped.
			for r.Next(); r.Start < end && r.Kind != lexer.MetaName; {
				if r.Is('(') || r.Is('[') || r.Is('{') {
					r.SkipGroup()
				} else {
					r.Next()
				}
			}
		case r.Start == at:
			r.Fail("%q is not known here", r.Shown())
		}
	}
	return facts
}

// attachedTo reads metadata attached to a function.
func (r *reader) attachedTo(s *symbol) {
	name := string(r.Word())
	r.Next()
	if n := r.nodeRef(); name == "!dbg" && s.debug == 0 {
		s.debug = n
	}
}

// Connect computes the predecessors of the blocks from their successors.
func (f *Func) Connect() {
	for _, b := range f.Blocks {
		b.Preds = nil
	}
	for _, b := range f.Blocks {
		for _, s := range b.Succs {
			to := f.Blocks[s]
			if n := len(to.Preds); n == 0 || to.Preds[n-1] != b.Index {
				to.Preds = append(to.Preds, b.Index)
			}
		}
	}
}

// dedupePhi removes repeated edges: LLVM lists a predecessor once per edge, with equal values.
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
