package interp

// vaListSize is the size of a va_list of the System V ABI:
//
//	struct { unsigned gp_offset, fp_offset; void *overflow_arg_area, *reg_save_area; }
const vaListSize = 24

// vaStart fills a va_list so that every argument is taken from the overflow area, 8 bytes
// each: the offsets say that no register is left.
func (c *call) vaStart() {
	m, fr := c.m, c.fr
	size := uint64(0)
	at := make([]uint64, len(fr.types))
	for i, t := range fr.types {
		if t.Align >= 16 {
			size = (size + 15) &^ 15
		}
		at[i] = size
		size += (uint64(t.Size) + 7) &^ 7
	}
	area := m.newStack(fr, "the variable arguments", c.in.ID, size, 16)
	for i, t := range fr.types {
		v := fr.extra[i]
		if isAggregate(t) && v.elems() == nil { // passed by address
			if src, off := m.check(access{ptr: v, n: uint64(t.Size)}); src != nil {
				m.copyBytes(area, at[i], src, off, uint64(t.Size))
			}
			continue
		}
		m.supported(t)
		m.put(area, at[i], v, t)
	}
	list, off := m.check(access{ptr: c.arg(0), op: argOf(c.in, 0), n: vaListSize, write: true})
	if m.obs != nil {
		m.obs.writing(list, off, vaListSize)
	}
	list.write(off, intValue(48), 4)    // beyond 6 general registers of 8 bytes
	list.write(off+4, intValue(176), 4) // beyond 8 vector registers of 16 bytes
	list.write(off+8, pointerTo(area, 0), 8)
	list.write(off+16, value{}, 8)
}
