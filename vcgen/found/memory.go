package found

// Memory is an excerpt of the memory at a violation.
//
// It has the object of the violating access, the variables in scope, and the targets of their pointers, bounded in
// number and size.
type Memory struct {
	Objects []Object
	Access  *Access `json:",omitempty"` // nil if the violation is not about an access
	// More is the number of reachable variables and objects that are omitted.
	More int `json:",omitempty"`
}

// Storage is the storage class of an object.
type Storage string

// The storage classes.
const (
	Automatic Storage = "automatic"
	Heap      Storage = "heap"
	Static    Storage = "static"
	Code      Storage = "code" // a function
)

// Object is an object of Memory.
type Object struct {
	Name     string // "buf", "malloc#2"
	Type     string `json:",omitempty"` // in C, "" if unknown
	Storage  Storage
	Function string `json:",omitempty"` // of automatic objects: the function that declares them
	// Frame is the number of the user's call that owns it, 1 for the innermost; 0 if it is not a variable in scope.
	Frame    int    `json:",omitempty"`
	Size     uint64 // bytes
	Constant bool   `json:",omitempty"`
	Ended    Event  `json:",omitempty"` // Freed or OutOfScope; "" while it is alive
	// Parts are the displayed parts, by offset. The bytes between them are padding, except for Left.
	Parts []Part `json:",omitempty"`
	// Left is the number of bytes omitted after the last part.
	Left uint64 `json:",omitempty"`
}

// Part is a scalar in an object, or some bytes of the object.
type Part struct {
	Off   uint64
	Name  string `json:",omitempty"` // in the object: ".len", "[3].next"; "" for the whole object
	Value string `json:",omitempty"` // in C
	Bytes []Byte
	// Pointer: it is a pointer; Target is its target if that is one of the objects.
	Pointer bool    `json:",omitempty"`
	Target  *Target `json:",omitempty"`
	// Left is the number of bytes omitted before it.
	Left uint64 `json:",omitempty"`
}

// Byte is the value of a byte of memory, or the reason why it has none.
type Byte int16

// Bytes without a value.
const (
	Unwritten Byte = -1 // never written by the program
	Unlooked  Byte = -2 // an input that the execution never reads
)

// Target is the target of a pointer.
type Target struct {
	Object int // in Memory.Objects
	Off    int64
}

// Access is the memory access of a violation.
type Access struct {
	// Object is the index in Memory.Objects of the object from which the pointer was derived; -1 if there is none.
	Object int
	Off    int64  // in the object; the address if there is none
	Len    uint64 // bytes; 0 for an access to the whole object, such as free
	Write  bool   `json:",omitempty"`
}

// Outside reports whether some byte of the access is outside of its object.
func (a *Access) Outside(m *Memory) bool {
	if a.Object < 0 {
		return true
	}
	size := m.Objects[a.Object].Size
	return a.Off < 0 || uint64(a.Off) > size || a.Len > size-uint64(a.Off)
}
