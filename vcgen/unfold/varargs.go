package unfold

import (
	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/mem"
	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// vaStart stores the variable arguments at the places from which clang's code for va_arg reads them, and fills a
// va_list.
func (cc *callCtx) vaStart() {
	r := cc.r()
	layout := clangir.VariableArguments(r.m.Layout, cc.fr.fn.Func, cc.fr.varCall)
	if layout.Unsupported != "" {
		cc.unsupported(layout.Unsupported)
		return
	}
	overflow, saved := cc.argumentArea(layout.Overflow, layout.Align), r.mem.Int(0)
	if layout.SaveArea > 0 {
		saved = cc.argumentArea(layout.SaveArea, layout.Align)
	}
	for i, a := range layout.Args {
		at := r.c.Add(overflow, r.mem.Int(uint64(a.Offset)))
		if a.Saved {
			at = r.c.Add(saved, r.mem.Int(uint64(a.Offset)))
		}
		v := cc.fr.varargs[i]
		if a.ByVal {
			cc.copyRange(at, v.t, r.mem.Int(uint64(a.Type.Size)), false)
			continue
		}
		cc.fr.store(cc.p.st, at, v, a.Type)
	}
	list := cc.arg(0)
	r.access(cc.p, cc.site, list, mem.Access{Write: true, Size: r.mem.Int(uint64(clangir.ListSize(r.m.Layout)))})
	for _, m := range layout.List {
		v := r.c.Int(int(m.Size)*8, m.Number)
		switch m.Area {
		case clangir.OverflowArea:
			v = r.c.Add(overflow, r.mem.Int(m.Number))
		case clangir.SavedArea:
			v = saved
		}
		r.mem.Store(cc.p.st, r.c.Add(list, r.mem.Int(uint64(m.Off))), v, m.Size)
	}
}

// argumentArea allocates size bytes for variable arguments; they end with the frame. What no argument fills (padding,
// registers that were not passed) is arbitrary: va_arg with another type than the argument's reads it.
func (cc *callCtx) argumentArea(size, align int64) smt.Term {
	r, c := cc.r(), cc.c()
	content := r.mem.Zero()
	if size > 0 {
		var in *seair.Input
		content, in = r.content(choice.Uninitialized, cc.p, cc.in.ID, "arguments")
		r.neverWritten.funcs[in.Content] = true
	}
	o := r.mem.NewObject(cc.p.st, mem.Object{Kind: mem.Stack, Name: "arguments", Site: cc.in.ID,
		Size:  cc.r().mem.Int(uint64(size)),
		Align: align, Guard: cc.p.g.T}, content, c.True())
	cc.fr.objects = append(cc.fr.objects, o.ID)
	return o.Base
}
