package interp

import (
	"github.com/unitproof/unitproof/vcgen/interp/explain"
	"github.com/unitproof/unitproof/vcgen/interp/state"
)

// vaListSize is the size of a va_list of the System V ABI:
//
//	struct { unsigned gp_offset, fp_offset; void *overflow_arg_area, *reg_save_area; }
const vaListSize = 24

// vaStart fills a va_list so that every argument is taken from the overflow area, 8 bytes
// each: the offsets say that no register is left.
func (c *call) vaStart() {
	m, fr := c.m, c.fr
	size := uint64(0)
	at := make([]uint64, len(fr.Types))
	for i, t := range fr.Types {
		if t.Align >= 16 {
			size = (size + 15) &^ 15
		}
		at[i] = size
		size += (uint64(t.Size) + 7) &^ 7
	}
	area := m.newStack(fr, "the variable arguments", c.in.ID, size, 16)
	for i, t := range fr.Types {
		v := fr.Extra[i]
		if state.IsAggregate(t) && v.Elems() == nil { // passed by address
			if src, off := m.check(explain.Access{Ptr: v, N: uint64(t.Size)}); src != nil {
				m.copyBytes(area, at[i], src, off, uint64(t.Size))
			}
			continue
		}
		m.supported(t)
		m.put(area, at[i], v, t)
	}
	list, off := m.check(explain.Access{Ptr: c.arg(0), Op: argOf(c.in, 0), N: vaListSize, Write: true})
	if m.obs != nil {
		m.obs.Writing(list, off, vaListSize)
	}
	list.Write(off, state.IntValue(48), 4)    // beyond 6 general registers of 8 bytes
	list.Write(off+4, state.IntValue(176), 4) // beyond 8 vector registers of 16 bytes
	list.Write(off+8, state.PointerTo(area, 0), 8)
	list.Write(off+16, state.Value{}, 8)
}
