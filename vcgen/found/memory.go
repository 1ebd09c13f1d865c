package found

// Memory is a part of what memory holds at a violation: the object of the violating access, the variables in scope, and
// what their pointers lead to, bounded in number and size.
type Memory struct {
	Objects []Object
	Access  *Access `json:",omitempty"` // nil where the violation is about no access
	// More is how many variables and objects that are within reach are left out.
	More int `json:",omitempty"`
}

// Storage is where an object lives.
type Storage string

// Storages.
const (
	Automatic Storage = "automatic"
	Heap      Storage = "heap"
	Static    Storage = "static"
	Code      Storage = "code" // a function
)

// Object is an object of Memory.
type Object struct {
	Name     string // "buf", "malloc#2"
	Type     string `json:",omitempty"` // in C, "" where it is not known
	Storage  Storage
	Function string `json:",omitempty"` // of automatic ones: whose variable it is
	// Frame is the call whose variable it is, from 1 for the innermost of the user's; 0 for what is none in scope.
	Frame    int    `json:",omitempty"`
	Size     uint64 // bytes
	Constant bool   `json:",omitempty"`
	Ended    Event  `json:",omitempty"` // Freed or OutOfScope; "" while it lives
	// Parts are what is shown, by their offsets. What is between is padding, but for Left.
	Parts []Part `json:",omitempty"`
	// Left is how many bytes behind the last part are left out.
	Left uint64 `json:",omitempty"`
}

// Part is a scalar in an object, or some bytes of it.
type Part struct {
	Off   uint64
	Name  string `json:",omitempty"` // in the object: ".len", "[3].next"; "" for all of it
	Value string `json:",omitempty"` // in C
	Bytes []Byte
	// Pointer: it is one, and Target what it points to, where that is one of the objects.
	Pointer bool    `json:",omitempty"`
	Target  *Target `json:",omitempty"`
	// Left is how many bytes before it are left out.
	Left uint64 `json:",omitempty"`
}

// Byte is a byte of memory: its value, or why it has none.
type Byte int16

// Bytes without a value.
const (
	Unwritten Byte = -1 // the program never wrote it
	Unlooked  Byte = -2 // an input that the execution never looks at
)

// Target is what a pointer points to.
type Target struct {
	Object int // in Memory.Objects
	Off    int64
}

// Access is the memory access that violates something.
type Access struct {
	// Object is the place in Memory.Objects of the object that the pointer was made for; -1 where there is none.
	Object int
	Off    int64  // in the object; the address where there is none
	Len    uint64 // bytes; 0 for one that is about the object as a whole, as free
	Write  bool   `json:",omitempty"`
}

// Outside tells whether some byte of the access lies outside of its object.
func (a *Access) Outside(m *Memory) bool {
	if a.Object < 0 {
		return true
	}
	size := m.Objects[a.Object].Size
	return a.Off < 0 || uint64(a.Off) > size || a.Len > size-uint64(a.Off)
}
