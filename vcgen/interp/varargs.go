package interp

import (
	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/interp/explain"
	"github.com/unitproof/unitproof/vcgen/interp/state"
)

// vaStart fills a va_list, and stores the arguments where clang's code for va_arg reads them.
func (c *call) vaStart() {
	m, fr := c.m, c.fr
	layout := clangir.VariableArguments(m.m.Layout, fr.Fn, fr.Call)
	if layout.Unsupported != "" {
		m.unsupported(layout.Unsupported)
	}
	area := func(size int64) *state.Object {
		o := m.newStack(fr, explain.VariableArguments, c.in.ID, uint64(size), uint64(layout.Align))
		if size > 0 { // padding, and registers that were not passed
			m.choose(o, 0, o.Size, c.in.ID, choice.Uninitialized, "", state.Uninitialized)
		}
		return o
	}
	overflow := area(layout.Overflow)
	var saved *state.Object
	if layout.SaveArea > 0 {
		saved = area(layout.SaveArea)
	}
	for i, a := range layout.Args {
		v, area := fr.Extra[i], overflow
		if a.Saved {
			area = saved
		}
		if a.ByVal {
			if src, off := m.check(explain.Access{Ptr: v, N: uint64(a.Type.Size)}); src != nil {
				m.copyBytes(area, uint64(a.Offset), src, off, uint64(a.Type.Size))
			}
			continue
		}
		m.supported(a.Type)
		m.put(area, uint64(a.Offset), v, a.Type)
	}
	size := uint64(clangir.ListSize(m.m.Layout))
	list, off := m.check(explain.Access{Ptr: c.arg(0), Op: argOf(c.in, 0), N: size, Write: true})
	if m.obs != nil {
		m.obs.Writing(list, off, size)
	}
	for _, x := range layout.List {
		v := state.IntValue(x.Number)
		switch x.Area {
		case clangir.OverflowArea:
			v = state.PointerTo(overflow, x.Number)
		case clangir.SavedArea:
			v = state.PointerTo(saved, 0)
		}
		list.Write(off+uint64(x.Off), v, int(x.Size))
	}
}
