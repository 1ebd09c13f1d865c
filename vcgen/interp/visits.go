package interp

import "math/bits"

// Visits counts how often an execution enters each block by a jump, and compares this with earlier executions.
//
// Counts are grouped: 1, 2, 3, 4 to 7, and so on, as in AFL's map of edges (Zalewski). It is shared between
// successive runs of a module. The zero value is ready to use.
type Visits struct {
	counts []uint32 // of this execution, by the ID of the block's first instruction
	seen   []uint16 // of all executions, a bit for each group of counts
	blocks []int    // the blocks with a count above zero
	last   []int    // blocks of the previous execution
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

// Next ends an execution, and reports whether it entered a block about as often as no execution before it.
func (v *Visits) Next() (fresh bool) {
	for _, id := range v.blocks {
		n := v.counts[id]
		width := bits.Len32(n) + 1 // 1, 2 and 3 are separate groups
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

// Last returns the blocks that the execution before Next entered, by the IDs of their first instructions.
func (v *Visits) Last() []int { return v.last }
