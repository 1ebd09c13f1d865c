package language

// shapes are the expected types of arguments and results of library functions.
//
// Each letter is an argument, p for an address and n for an integer; after the colon follows the result, if there is
// one.
var shapes = map[Role]string{
	Malloc: "n:p", Lend: "n:p", Calloc: "nn:p", Realloc: "pn:p", Reallocarray: "pnn:p", AlignedAlloc: "nn:p",
	Valloc:        "n:p",
	PosixMemalign: "pnn:n", Free: "p:",
	RustAlloc: "nn:p", RustAllocZeroed: "nn:p", RustRealloc: "pnnn:p", RustDealloc: "pnn:", CapacityError: "n:",
	Memcpy: "ppn:p", Mempcpy: "ppn:p", Memmove: "ppn:p", Memset: "pnn:p",
	Havoc: "pn:", SetsRounding: "pn:", Dereferenceable: "p:n", IsModified: "p:n", ResetModified: "p:",
	ObjectSize: "p:n", PointerOffset: "p:n", PointerObject: "p:n",
}

// Fits reports whether a function of this role can be called with the given arguments and result.
//
// isAddress(i) reports whether argument i, or the result for -1, can be an address, isInteger(i) whether it is a
// number. Declarations in the program may have other types.
func (e Entry) Fits(args int, isAddress, isInteger func(i int) bool) bool {
	i := 0
	for _, letter := range shapes[e.Role] {
		switch {
		case letter == ':':
			i = -1
			continue
		case i >= args, letter == 'p' && !isAddress(i), letter == 'n' && !isInteger(i):
			return false
		}
		i++
	}
	return true
}
