package language

// shapes is how functions of the C library are called: a letter for each argument that is looked at, 'p' for an address
// and 'n' for an integer, and behind a colon one for the result, if it has one.
var shapes = map[Role]string{
	Malloc: "n:p", Lend: "n:p", Calloc: "nn:p", Realloc: "pn:p", Reallocarray: "pnn:p", AlignedAlloc: "nn:p",
	Valloc:        "n:p",
	PosixMemalign: "pnn:n", Free: "p:",
	RustAlloc: "nn:p", RustAllocZeroed: "nn:p", RustRealloc: "pnnn:p", RustDealloc: "pnn:", CapacityError: "n:",
	Memcpy: "ppn:p", Mempcpy: "ppn:p", Memmove: "ppn:p", Memset: "pnn:p",
	Havoc: "pn:", SetsRounding: "pn:", Dereferenceable: "p:n", IsModified: "p:n", ResetModified: "p:",
	ObjectSize: "p:n", PointerOffset: "p:n", PointerObject: "p:n",
}

// Fits tells whether a function of a role can be called with so many arguments and that result: isAddress tells of an
// argument, or of the result for -1, whether it can be an address, isInteger whether it is a number. A declaration of
// the program's own may have other types.
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
