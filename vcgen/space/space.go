// Package space has the address spaces of targets, by the width of their pointers. The symbolic memory model and the
// interpreter share it.
package space

// Space bounds addresses, sizes and alignments of objects.
type Space struct {
	// Width is the width in bits of addresses, offsets and sizes: 16, 32 or 64.
	Width int
	// Lowest and Highest bound the addresses of objects. Addresses below Lowest are those of NULL's page.
	Lowest, Highest uint64
	// First is the address at which the interpreter begins to place objects.
	First uint64
	// MaxSize is the size in bytes of the largest object; a larger allocation fails. It is at most half of the address
	// space, because differences of pointers are signed.
	MaxSize uint64
	// MaxVariable is the size in bytes of the largest variable-length array that is assumed to fit into memory. Real
	// stacks are far smaller.
	MaxVariable uint64
	// MaxAround bounds the bytes before a part of an object, and those behind it: the sum of both and of the greatest
	// size is an address.
	MaxAround uint64
	// MaxAlign is the largest alignment, in bytes, that an allocation can request. The address space has room for more
	// objects of this alignment than a program creates.
	MaxAlign uint64
	// HeapAlign is the alignment of malloc in bytes.
	HeapAlign uint64
	// Bits is the least number of bits that can hold an address.
	Bits int
}

// Of returns the address space of pointers of a width in bits, and of an alignment of malloc in bytes.
func Of(width int, heapAlign uint64) Space {
	s := ofWidth(width)
	s.HeapAlign = heapAlign
	return s
}

func ofWidth(width int) Space {
	switch width {
	case 16:
		return Space{Width: 16, Bits: 16, Lowest: 1 << 7, Highest: 0xff00, First: 1 << 10, MaxSize: 1<<15 - 1,
			MaxVariable: 1 << 14, MaxAround: 1 << 13, MaxAlign: 1 << 11}
	case 32:
		return Space{Width: 32, Bits: 32, Lowest: 4096, Highest: 0xfffff000, First: 1 << 24, MaxSize: 1<<31 - 1,
			MaxVariable: 1 << 30, MaxAround: 1 << 29, MaxAlign: 1 << 24}
	}
	return Space{Width: 64, Bits: 47, Lowest: 4096, Highest: 1 << 47, First: 1 << 32, MaxSize: 1<<47 - 2*4096,
		MaxVariable: 1 << 40, MaxAround: 1 << 46, MaxAlign: 1 << 30}
}

// Bytes returns the size of a pointer.
func (s Space) Bytes() int64 { return int64(s.Width) / 8 }

// Mask returns the greatest number with the width of an address.
func (s Space) Mask() uint64 { return ^uint64(0) >> (64 - s.Width) }
