package language

// FPClass is a set of classes of floating point numbers, as in llvm.is.fpclass.
type FPClass uint32

// Classes, in LLVM's order.
const (
	SignalingNaN FPClass = 1 << iota
	QuietNaN
	NegativeInfinity
	NegativeNormal
	NegativeSubnormal
	NegativeZero
	PositiveZero
	PositiveSubnormal
	PositiveNormal
	PositiveInfinity
)

// FPRange is the set of numbers with the given signs whose other bits are within bounds.
type FPRange struct {
	Negative, Positive bool
	Least, Most        uint64
}

// Ranges lists the numbers in the classes, for IEEE 754 floats of 16, 32 or 64 bits.
func (c FPClass) Ranges(width int) []FPRange {
	mantissa := map[int]int{16: 10, 32: 23, 64: 52}[width]
	magnitude := uint64(1)<<(width-1) - 1
	normal := uint64(1) << mantissa
	infinity := magnitude &^ (normal - 1)
	quiet := infinity | normal>>1
	var out []FPRange
	for _, class := range []struct {
		negative, positive FPClass
		least, most        uint64
	}{
		{SignalingNaN, SignalingNaN, infinity + 1, quiet - 1},
		{QuietNaN, QuietNaN, quiet, magnitude},
		{NegativeInfinity, PositiveInfinity, infinity, infinity},
		{NegativeNormal, PositiveNormal, normal, infinity - 1},
		{NegativeSubnormal, PositiveSubnormal, 1, normal - 1},
		{NegativeZero, PositiveZero, 0, 0},
	} {
		if r := (FPRange{c&class.negative != 0, c&class.positive != 0, class.least, class.most}); r.Negative || r.Positive {
			out = append(out, r)
		}
	}
	return out
}

// Holds reports whether the number with these bits is in one of the classes.
func (c FPClass) Holds(bits uint64, width int) bool {
	sign := uint64(1) << (width - 1)
	for _, r := range c.Ranges(width) {
		if m := bits &^ sign; r.Least <= m && m <= r.Most && (bits&sign != 0 && r.Negative || bits&sign == 0 && r.Positive) {
			return true
		}
	}
	return false
}
