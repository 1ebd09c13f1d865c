package interp

import "math/bits"

// Visits counts how often an execution enters each block by a jump, and knows how often others did: about 1, 2, 3,
// 4 to 7 times, and so on, as AFL's map of edges does (Zalewski). It is shared between runs of a module, one after the
// other. The zero value is ready.
type Visits struct {
	counts []uint32 // of this execution, by the ID of the block's first instruction
	seen   []uint16 // of all, a bit for each range of counts
	blocks []int    // whose counts are not zero
	last   []int    // those of the execution before
}

// visit counts an entry into the block whose first instruction has this ID.
func (v *Visits) visit(id int) {
	if id >= len(v.counts) {
		more := id + 1024 - len(v.counts)
		v.counts, v.seen = append(v.counts, make([]uint32, more)...), append(v.seen, make([]uint16, more)...)
	}
	if v.counts[id]++; v.counts[id] == 1 {
		v.blocks = append(v.blocks, id)
	}
}

// Next ends an execution, and tells whether it entered a block about as often as none before it.
func (v *Visits) Next() (fresh bool) {
	for _, id := range v.blocks {
		n := v.counts[id]
		width := bits.Len32(n) + 1 // 1, 2 and 3 are told apart
		if n < 3 {
			width = int(n)
		}
		if bit := uint16(1) << min(width-1, 15); v.seen[id]&bit == 0 {
			v.seen[id] |= bit
			fresh = true
		}
		v.counts[id] = 0
	}
	v.blocks, v.last = v.last[:0], v.blocks
	return fresh
}

// Last are the blocks that the execution before Next entered, by the IDs of their first instructions.
func (v *Visits) Last() []int { return v.last }
