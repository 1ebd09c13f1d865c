package unfold

import (
	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/mem"
	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// makeGlobals creates the objects of all functions and variables and then initialises them, because initialisers may
// refer to any of them.
func (r *run) makeGlobals(p *path) {
	c := r.c
	for _, f := range r.m.Funcs {
		if f.Name != "" && !matches(f.Name, "llvm.*") {
			o := r.mem.NewObject(p.st, mem.Object{Kind: mem.Function, Name: f.Name, Size: r.mem.Int(0), Align: 16, Const: true,
				Fn: len(r.funcIDs), Guard: c.True()}, r.mem.Zero(), c.True())
			r.funcIDs = append(r.funcIDs, f)
			r.funcs[f] = o.Base
			r.made(p, 0, o)
		}
	}
	ids := make([]int, len(r.m.Globals))
	labels := map[string]smt.Term{}        // the first one of each function
	arbitrary := map[smt.Func]mem.Origin{} // initial contents, which may be addresses of variables
	needed := r.m.NeededGlobals()
	for i, g := range r.m.Globals {
		if !needed[g] {
			continue
		}
		size := r.mem.Int(uint64(g.Type.Size))
		content := r.mem.Zero()
		if g.Init == nil && !matches(g.Name, "llvm.*") {
			var in *seair.Input
			content, in = r.content(choice.Global, p, 0, g.Name)
			arbitrary[in.Content] = mem.Origin{By: g.SourceName, Known: mem.ByLibrary}
			if g.Arbitrary {
				arbitrary[in.Content] = mem.Origin{By: g.SourceName}
			}
			var small smt.Term
			if g.Type.Kind == llvmir.OpaqueType || g.Type.Kind == llvmir.ArrayType && g.Type.Len == 0 {
				// A variable without definition and size is vast, unless a smaller size is chosen.
				vast := r.mem.Int(r.mem.Space.MaxVariable)
				size, small = c.Var("size."+g.Name, smt.BV(r.mem.Width)), c.Var("small."+g.Name, smt.Bool)
				r.log.Events = append(r.log.Events, seair.Event{Kind: seair.Axiom, Guard: c.True(),
					Cond: c.Ite(small, c.Ule(size, vast), c.Eq(size, vast))})
			}
			site := &seair.Site{Pos: found.Pos{Function: g.SourceName}}
			if g.Loc != nil {
				site.Pos.File, site.Pos.Line, site.Pos.Column = g.Loc.File, g.Loc.Line, max(1, g.Loc.Col)
			}
			if !g.Arbitrary {
				r.note(found.Assumption{What: found.MissingVariable, Name: g.SourceName}, site, small)
			}
		}
		proto := mem.Object{Kind: mem.Static, Name: g.Name, Size: size, Align: max(g.Align, 1),
			Const: g.Constant, Guard: c.True(),
			Unframed: g.Name == language.Errno, Library: clangir.LibraryState(g)}
		if g.Init != nil && g.Constant && g.UnnamedAddr {
			proto.Data, proto.Mergeable = g.Init.Bytes(r.m.Layout.BigEndian)
		}
		o := r.mem.NewObject(p.st, proto, content, c.True())
		r.globals[g] = o.Base
		ids[i] = o.ID
		r.made(p, 0, o)
		if g.LabelOf != "" {
			r.labels[o.ID] = g
		}
		if first := labels[g.LabelOf]; first != 0 {
			near := uint64(min(codeSize, 1<<(r.mem.Width-2)))
			r.log.Events = append(r.log.Events, seair.Event{Kind: seair.Axiom, Guard: c.True(),
				Cond: c.Ult(c.Add(c.Sub(o.Base, first), r.mem.Int(near)), r.mem.Int(2*near))})
		} else if g.LabelOf != "" {
			labels[g.LabelOf] = o.Base
		}
	}
	for f, from := range arbitrary {
		r.mem.ContentMayPoint(f, from)
	}
	for i, g := range r.m.Globals {
		if g.Init == nil || matches(g.Name, "llvm.*") || !needed[g] {
			continue
		}
		v := p.st.Content(ids[i])
		if data, ok := g.Init.Image(r.m.Layout.BigEndian); ok && len(data) > 64 {
			v = r.mem.Data(data)
		} else {
			v = r.initialise(v, 0, g.Init, p)
		}
		r.mem.SetContent(p.st, ids[i], v, c.False())
		if parts := clangir.ConstantMembers(g); len(parts) > 0 {
			r.mem.Keep(p.st, ids[i], partsOf(parts), true, c.True())
		}
	}
	if r.inexpressible != "" {
		r.unsupportedProgram(r.inexpressible)
		r.inexpressible = ""
	}
}

// codeSize exceeds the code size of any function, in bytes: jump tables hold distances between labels as int.
const codeSize = 1 << 30

// initialise writes a constant into a version at a byte offset; the version is zero before.
func (r *run) initialise(v *mem.Version, off int64, k *llvmir.Const, p *path) *mem.Version {
	switch k.Kind {
	case llvmir.ConstZero, llvmir.ConstNull:
		return v
	case llvmir.ConstAggregate, llvmir.ConstData:
		if data, ok := k.Bytes(r.m.Layout.BigEndian); ok && len(data) > 0 && len(data) <= 64 {
			wide := r.c.Int(8, uint64(data[0]))
			for _, b := range data[1:] {
				wide = r.c.Concat(r.c.Int(8, uint64(b)), wide)
			}
			return r.mem.Write(v, r.c.True(), r.mem.IntS(off), wide, int64(len(data)))
		}
		if k.Kind == llvmir.ConstData {
			for i, b := range k.Data {
				v = r.mem.Write(v, r.c.True(), r.mem.IntS(off+int64(i)), r.c.Int(8, uint64(b)), 1)
			}
			return v
		}
		_, offs := elements(k.Type)
		for i, e := range k.Elems {
			v = r.initialise(v, off+offs[i], e, p)
		}
		return v
	case llvmir.ConstUndef:
		return v // padding: zero, as the loader leaves it
	}
	t := r.constantAt(k, p, 0)
	if t.t == 0 {
		return v
	}
	return r.mem.WriteNumber(v, r.c.True(), r.mem.IntS(off), r.toBits(t.t, k.Type), k.Type.StoreSize)
}

// content creates arbitrary bytes and logs them as an input.
func (r *run) content(kind choice.Kind, p *path, site int, name string) (*mem.Version, *seair.Input) {
	v, f := r.mem.Arbitrary(name)
	in := r.input(kind, p, site, name)
	in.Content, in.Bytes = f, true
	r.contentMade[f] = in.Guard
	return v, in
}

// made logs the creation of an object, so that the interpreter can give it the address that the model chose.
func (r *run) made(p *path, site int, o *mem.Object) {
	in := r.input(choice.Object, p, site, o.Name)
	in.Value, in.Object = o.Base, o.ID
}

// inputSize returns Options.Input as the size of a fuzz target's input; 0 if all sizes are chosen. Larger sizes are cut
// off, like further iterations of a loop. The size is a constant, so that most conditions about it fold.
func (r *run) inputSize(p *path, site int, w int) smt.Term {
	if r.opts.Input == nil {
		return 0
	}
	n := *r.opts.Input
	if int64(n) < r.m.MaxInput(r.entry) {
		at := &seair.Site{Pos: found.Pos{Function: r.entry.SourceName}}
		if l := r.entry.Loc; l != nil {
			at.Pos.File, at.Pos.Line, at.Pos.Column = l.File, l.Line, max(l.Col, 1)
		}
		r.event(seair.Event{Kind: seair.Cut, Guard: p.g.T, Site: at, Loop: language.InputSize, Bound: n,
			Region: len(r.prog.cuts)})
		r.prog.cuts = append(r.prog.cuts, cutPoint{all: true})
	}
	in := r.input(choice.Nondet, p, site, language.InputSizeChoice)
	in.Value = r.c.Int(w, uint64(n))
	return in.Value
}

// parameters returns arbitrary arguments for the entry, and memory for a result that is returned in memory.
func (r *run) parameters(f *llvmir.Func, p *path) []value {
	var args []value
	for i, prm := range f.Params {
		if g, made := r.m.Argument(f, i); made {
			v := r.zero(prm.Type)
			if r.globals[g] != 0 {
				v = (&frame{r: r}).load(p.st, r.globals[g], prm.Type)
			}
			args = append(args, v)
			continue
		}
		if t := prm.Pointee(); t != nil {
			kind := choice.Parameter
			if prm.SRet != nil {
				kind = choice.Uninitialized
			}
			content, in := r.content(kind, p, -(i + 1), prm.Name)
			if prm.SRet != nil {
				r.neverWritten.funcs[in.Content] = true
			}
			o := r.mem.NewObject(p.st, mem.Object{Kind: mem.Stack, Name: prm.Name, Site: -(i + 1),
				Size:  r.mem.Int(uint64(t.Size)),
				Align: max(prm.Align, t.Align), Guard: p.g.T}, content, r.c.True())
			r.made(p, -(i + 1), o)
			args = append(args, value{t: o.Base})
			continue
		}
		args = append(args, r.arbitrary(choice.Parameter, prm.Type, p, -(i+1), prm.Name))
	}
	return args
}
