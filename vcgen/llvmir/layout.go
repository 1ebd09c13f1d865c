package llvmir

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Layout is the data layout of a target: byte order, width of addresses, and alignments of types.
//
// It is read from the lines "target datalayout" and "target triple" of a module. Sizes and offsets of types follow from
// it (typeTable.layout).
type Layout struct {
	// Text is the string of the module, Triple its target; "" if the module has none.
	Text, Triple string
	// BigEndian: the most significant byte of a number has the lowest address.
	BigEndian bool
	// Pointer is the width of an address in bits: 16, 32 or 64. Offsets and sizes of objects have the same width.
	Pointer int
	// pointerAlign is the alignment of pointers in bytes, aggregate the least one of structs.
	pointerAlign, aggregate int64
	// Stack is the alignment in bytes of the stack at calls; 0 if the layout has none.
	Stack int64
	// integers, floats and vectors are alignments in bytes by width in bits; integers and floats are ascending.
	integers, floats, vectors []widthAlign
}

// UnsupportedTarget is the error of Read for a target that is not supported.
type UnsupportedTarget struct{ Why error }

func (e *UnsupportedTarget) Error() string { return e.Why.Error() }

// widthAlign is the alignment, in bytes, of a type with a width in bits.
type widthAlign struct {
	bits  int
	align int64
}

// X8664 is the layout of x86-64 System V, which a module without a layout has.
func X8664() *Layout {
	l, err := ParseLayout("", "")
	if err != nil {
		panic(err)
	}
	return l
}

// dataLayout is the layout of x86-64 System V in LLVM's syntax, without the mangling.
const dataLayout = "e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128"

// architectures are the supported first words of target triples, or their beginnings if they end in an asterisk.
var architectures = []string{"x86_64", "amd64", "i386", "i486", "i586", "i686", "arm*", "thumb*", "aarch64",
	"aarch64_be", "riscv32", "riscv64", "powerpc", "powerpc64", "powerpc64le", "s390x", "mips*", "msp430"}

// X86 reports whether the target is x86, with 32 or 64 bits. A module without a triple is.
func (l *Layout) X86() bool {
	arch := l.arch()
	return arch == "" || arch == "x86_64" || arch == "amd64" || len(arch) == 4 && arch[0] == 'i' && arch[2:] == "86"
}

// SystemV reports whether the target is x86-64 with the calling convention of System V.
func (l *Layout) SystemV() bool {
	return l.X86() && l.Pointer == 64 && !strings.Contains(l.Triple, "windows")
}

// HeapAlign returns the alignment of malloc in bytes: the least one of the common C libraries of the target.
//
// It is that of two pointers with newlib, mingw, musl and glibc. On Linux it is 16 for x86 and PowerPC of 32 bits, too,
// as MALLOC_ALIGNMENT of glibc. On 16-bit machines it is that of every type.
func (l *Layout) HeapAlign() uint64 {
	switch arch := l.arch(); {
	case l.Pointer == 16:
		return 2
	case l.Pointer == 32 && strings.Contains(l.Triple, "linux") && (l.X86() || arch == "powerpc"):
		return 16
	}
	return uint64(l.Pointer / 4)
}

// arch returns the first word of the triple, without the version of Arm: "arm", "i386", "x86_64".
func (l *Layout) arch() string {
	arch, _, _ := strings.Cut(l.Triple, "-")
	return arch
}

// ParseLayout reads a data layout in LLVM's syntax. An empty one is that of x86-64 System V.
func ParseLayout(text, triple string) (*Layout, error) {
	l := &Layout{Text: text, Triple: triple, Pointer: 64, pointerAlign: 8, aggregate: 1,
		integers: []widthAlign{{1, 1}, {8, 1}, {16, 2}, {32, 4}, {64, 4}},
		floats:   []widthAlign{{16, 2}, {32, 4}, {64, 8}, {80, 16}, {128, 16}},
		vectors:  []widthAlign{{64, 8}, {128, 16}},
	}
	if arch := l.arch(); arch != "" && !slices.ContainsFunc(architectures, func(a string) bool {
		begin, open := strings.CutSuffix(a, "*")
		return arch == a || open && strings.HasPrefix(arch, begin)
	}) {
		why := "is not supported"
		if arch == "avr" {
			why = "has a program memory of its own, which is not supported"
		}
		return nil, fmt.Errorf("target %q %s (data layout %q)", triple, why, text)
	}
	if text == "" {
		if arch := l.arch(); arch != "" && arch != "x86_64" {
			return nil, fmt.Errorf("target %q has no data layout", triple)
		}
		text = dataLayout
	}
	for _, spec := range strings.Split(text, "-") {
		if err := l.read(spec); err != nil {
			return nil, fmt.Errorf("data layout %q of target %q: %w", text, triple, err)
		}
	}
	if l.Pointer != 16 && l.Pointer != 32 && l.Pointer != 64 {
		return nil, fmt.Errorf("data layout %q of target %q: pointers of %d bits are not supported", text, triple, l.Pointer)
	}
	return l, nil
}

// read reads one specification of a data layout, such as "i64:64" or "p:32:32".
func (l *Layout) read(spec string) error {
	if spec == "" {
		return fmt.Errorf("an empty specification")
	}
	fields := strings.Split(spec[1:], ":")
	number := func(i int) int {
		if i >= len(fields) {
			return 0
		}
		n, err := strconv.Atoi(fields[i])
		if err != nil || n < 0 || n > 1<<20 {
			return -1
		}
		return n
	}
	bits, align := number(0), number(1)
	if bits < 0 {
		bits = 0
	}
	if strings.IndexByte("ifva", spec[0]) >= 0 && (align < 0 || align%8 != 0) {
		return fmt.Errorf("alignment of %q", spec)
	}
	bytes := int64(align / 8)
	switch spec[0] {
	case 'e', 'E':
		l.BigEndian = spec[0] == 'E'
	case 'p':
		width, pref, index := number(1), number(2), number(4)
		if bits != 0 { // another address space, in which nothing is executed
			return nil
		}
		if index > 0 && index != width {
			return fmt.Errorf("indices of %d bits for pointers of %d bits", index, width)
		}
		l.Pointer, l.pointerAlign = width, int64(pref)/8
	case 'i':
		l.integers = aligned(l.integers, bits, bytes)
	case 'f':
		l.floats = aligned(l.floats, bits, bytes)
	case 'v':
		l.vectors = aligned(l.vectors, bits, bytes)
	case 'a':
		l.aggregate = max(1, bytes)
	case 'S':
		l.Stack = int64(bits) / 8
	case 'm', 'n', 'F', 'G': // mangling, native integers, alignment of functions, space of globals
		if spec[0] == 'G' && bits != 0 {
			return fmt.Errorf("variables in address space %d", bits)
		}
	case 'P', 'A':
		if bits != 0 {
			return fmt.Errorf("address space %d for functions or locals is not supported", bits)
		}
	default:
		return fmt.Errorf("%q is not known", spec)
	}
	return nil
}

// aligned returns a table of alignments with one entry changed or added.
func aligned(table []widthAlign, bits int, align int64) []widthAlign {
	i, found := slices.BinarySearchFunc(table, bits, func(a widthAlign, bits int) int { return a.bits - bits })
	if found {
		table[i].align = align
		return table
	}
	return slices.Insert(table, i, widthAlign{bits, align})
}

// integer returns the alignment of integers: of the next width that the layout lists, or of the largest one.
func (l *Layout) integer(bits int) int64 {
	for _, a := range l.integers {
		if a.bits >= bits {
			return a.align
		}
	}
	return l.integers[len(l.integers)-1].align
}

// float returns the alignment of floating point numbers.
func (l *Layout) float(bits int) int64 {
	for _, a := range l.floats {
		if a.bits == bits {
			return a.align
		}
	}
	return powerOf2Ceil(int64(bits+7) / 8)
}

// vector returns the alignment of vectors: their size, rounded up to a power of two, unless the layout lists it.
func (l *Layout) vector(bits, storeSize int64) int64 {
	for _, a := range l.vectors {
		if int64(a.bits) == bits {
			return a.align
		}
	}
	return powerOf2Ceil(max(1, storeSize))
}
