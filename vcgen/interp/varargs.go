package interp

import (
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/interp/explain"
	"github.com/unitproof/unitproof/vcgen/interp/state"
)

// vaListSize is the size in bytes of a va_list of the System V ABI:
//
//	struct { unsigned gp_offset, fp_offset; void *overflow_arg_area, *reg_save_area; }
const vaListSize = 24

// vaStart fills a va_list, and stores the arguments where clang's code for va_arg reads them.
func (c *call) vaStart() {
	m, fr := c.m, c.fr
	layout := clangir.VariableArguments(fr.Fn, fr.Call)
	overflow := m.newStack(fr, explain.VariableArguments, c.in.ID, uint64(layout.Overflow), uint64(layout.Align))
	var saved *state.Object
	if layout.SaveArea > 0 {
		saved = m.newStack(fr, explain.VariableArguments, c.in.ID, uint64(layout.SaveArea), uint64(layout.Align))
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
	list, off := m.check(explain.Access{Ptr: c.arg(0), Op: argOf(c.in, 0), N: vaListSize, Write: true})
	if m.obs != nil {
		m.obs.Writing(list, off, vaListSize)
	}
	list.Write(off, state.IntValue(uint64(layout.GPOffset)), 4)
	list.Write(off+4, state.IntValue(uint64(layout.FPOffset)), 4)
	list.Write(off+8, state.PointerTo(overflow, 0), 8)
	list.Write(off+16, state.Value{}, 8)
	if saved != nil {
		list.Write(off+16, state.PointerTo(saved, 0), 8)
	}
}
