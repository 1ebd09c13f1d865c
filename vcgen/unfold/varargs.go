package unfold

import (
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/mem"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// vaStart stores the variable arguments at the places from which clang's code for va_arg reads them, and fills a
// va_list:
//
//	struct { unsigned gp_offset, fp_offset; void *overflow_arg_area, *reg_save_area; }
func (cc *callCtx) vaStart() {
	r, c := cc.r(), cc.c()
	layout := clangir.VariableArguments(cc.fr.fn.Func, cc.fr.varCall)
	overflow, saved := cc.argumentArea(layout.Overflow, layout.Align), c.Int(64, 0)
	if layout.SaveArea > 0 {
		saved = cc.argumentArea(layout.SaveArea, layout.Align)
	}
	for i, a := range layout.Args {
		at := c.Add(overflow, c.Int(64, uint64(a.Offset)))
		if a.Saved {
			at = c.Add(saved, c.Int(64, uint64(a.Offset)))
		}
		v := cc.fr.varargs[i]
		if a.ByVal {
			cc.copyRange(at, v.t, c.Int(64, uint64(a.Type.Size)), false)
			continue
		}
		cc.fr.store(cc.p.st, at, v, a.Type)
	}
	list := cc.arg(0)
	r.access(cc.p, cc.site, list, mem.Access{Write: true, Size: c.Int(64, 24)})
	r.mem.Store(cc.p.st, list, c.Int(32, uint64(layout.GPOffset)), 4)
	r.mem.Store(cc.p.st, c.Add(list, c.Int(64, 4)), c.Int(32, uint64(layout.FPOffset)), 4)
	r.mem.Store(cc.p.st, c.Add(list, c.Int(64, 8)), overflow, 8)
	r.mem.Store(cc.p.st, c.Add(list, c.Int(64, 16)), saved, 8)
}

// argumentArea allocates size bytes for variable arguments; they end with the frame.
func (cc *callCtx) argumentArea(size, align int64) smt.Term {
	r, c := cc.r(), cc.c()
	o := r.mem.NewObject(cc.p.st, mem.Object{Kind: mem.Stack, Name: "arguments", Site: cc.in.ID,
		Size:  c.Int(64, uint64(size)),
		Align: align, Guard: cc.p.g.T}, r.mem.Zero(), c.True())
	cc.fr.objects = append(cc.fr.objects, o.ID)
	return o.Base
}
