// Package mem is the memory model of the symbolic executor: objects, fat pointers, shadow state, store maps and
// address-range maps.
//
// Terms:
//
//   - An object is one execution of one allocation site: a variable, a heap block, a global or a function.
//   - A pointer is a term with the width of an address. Its provenance is in its structure: each object has a base
//     symbol, and Candidates splits a term into the guarded set of (object, offset) pairs that it may denote.
//     Therefore pointers survive stores, bytewise copies and casts to integers and back without a second
//     representation.
//   - A store map (Version) is the content of an object at one point of an execution: an immutable stack of layers
//     (writes, copies, merges of two versions) on initial content. A write returns another version.
//   - A Reading is a read of content that is arbitrary, with the resulting term. Package induction instantiates its
//     conditions about all elements of an array at these reads.
//   - The shadow state of an object records whether it is allocated, freed, modified or partly constant.
//   - A layout axiom restricts the numeric value of a base. It is needed only if a formula mentions the base symbol
//     (Axioms).
//
// For example,
//
//	int a[4] = {0}, b;
//	int *p = c ? &a[1] : &b;
//	*p = 7;
//	x = a[i];
//
// makes the objects a and b with the symbols base.a and base.b. p is ite(c, base.a + 4, base.b) and has two
// candidates: offset 4 of a if c holds, and offset 0 of b if not. The store adds to the store map of a a cell at
// offset 4 with ite(c, 7, 0); the load yields ite(4*i = 4, ite(c, 7, 0), 0).
//
// Principal types: Memory owns the objects of a proof, State is the shadow state at one point of an execution (a
// persistent table, cheap to fork and merge), Version the content of one object, Candidate one possible target of a
// pointer.
//
// Reading order: memory.go (objects, states), version.go and read.go (store maps), pointer.go (fat pointers and
// address-range maps), access.go (the obligations of an access), address.go (layout axioms), unknown.go (pointers
// into objects that the model does not contain), limit.go (frames of contracts).
//
// Sources: segment:offset memory with symbolic sizes and multi-writes from Trtik and Strejcek, Symbolic Memory with
// Pointers (ATVA 2014); store maps and address-range maps from Zhou, Expressive and Efficient Memory Representation
// for BMC of C programs (2022); shadow state from Priya et al., Bounded Model Checking for LLVM (FMCAD 2022).
package mem

import (
	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/space"
)

// ObjectKind is the storage class of an object.
type ObjectKind uint8

// Kinds of objects.
const (
	Stack ObjectKind = iota
	Heap
	Static   // global variables
	Function // has no bytes, may be called
)

// Object is a memory object: one execution of one allocation site.
type Object struct {
	ID   int
	Kind ObjectKind
	Name string // for dumps and messages
	Site int    // the instruction that allocated it; 0 for globals and functions
	// Size in bytes, as wide as an address. Later assumptions may rewrite it (Narrow). Layout axioms have no place in
	// the order of
	// events, therefore they use made, the size at allocation.
	Size  smt.Term
	made  smt.Term
	Base  smt.Term // its address as a number
	Const bool
	// Parts are constant while the state marks them so (Keep).
	Parts []Part
	// Mergeable: a constant whose address is not significant. It may share memory with other such constants if their
	// common bytes are equal.
	Mergeable bool
	// Temporary: the compiler made it (llvmir.Instr.Temporary).
	Temporary bool
	// Data is the content of a mergeable constant.
	Data []byte
	// Fn is the index of the function of a Function object.
	Fn int
	// Guard is the condition under which it was allocated (branch conditions only).
	Guard smt.Term
	// before is the state at its allocation; it determines which objects were alive then.
	before *State
	Align  int64 // in bytes, a power of two
	// Part: a range of bytes within another object or an object of its own. If it is empty it occupies no address.
	Part bool
	// Lent: an allocation that the program must not free.
	Lent bool
	// Unframed: frames of contracts do not restrict writes to it (errno).
	Unframed bool
	// Library: internal state of the C library, likewise unrestricted. A contract is assumed to preserve it.
	Library bool
	// Spare: the object may be larger than its size; the program must not rely on that.
	Spare bool
	// Aligned is a further alignment of the address, if it is a power of two; 0 if there is none.
	Aligned smt.Term
}

// Part is a range of bytes of an object.
type Part struct{ Off, Len int64 }

// shadow is the state of one object: its content and its shadow bits.
type shadow struct {
	content *Version
	// made is the condition under which the object exists; freed that its lifetime has ended, given that it exists. A
	// pointer to an object implies made, so freed alone decides whether two lifetimes overlap.
	made, freed smt.Term
	modified    smt.Term
	constant    smt.Term // when its parts are constant; 0: never
}

// Mechanisms are optimizations that can be switched off to measure their effect.
type Mechanisms struct {
	StoreMap        bool // every write becomes a symbolic layer
	AddressRangeMap bool // pointer comparisons go through addresses
}

// Memory owns the objects of one proof.
type Memory struct {
	C *smt.Context
	// Width is the width in bits of addresses, offsets and sizes. BigEndian is the byte order of stored numbers.
	Width     int
	BigEndian bool
	Space     space.Space

	Objects []*Object
	Stats   map[string]int64
	Off     Mechanisms
	// ReadsFreed: freed heap memory keeps its content for reads, because the user accepts some such reads.
	ReadsFreed bool
	// TooLarge is set when a read would need a select chain beyond the limit. The value read is arbitrary then, and
	// the caller must answer unknown.
	TooLarge bool
	// Ended, if not nil, reports whether the run is over. Reads call it from time to time, because one read through
	// hundreds of copies of unknown lengths can take very long. After that, reads return arbitrary values.
	Ended func() bool
	steps int  // of reads, counted to call Ended at intervals
	over  bool // Ended returned true
	// OnRead, if not nil, is called for each read of arbitrary content: n bytes at an offset (64 bits).
	OnRead func(content smt.Func, off smt.Term, n int64)
	// Reading: reads of arbitrary content are recorded in Reads.
	Reading bool
	Reads   []Reading
	noted   map[Reading]bool

	// probes are the reads of a Probe; nil if none is running.
	probes map[probe]smt.Term

	// origins maps a value that the program read at a symbolic offset to its place.
	origins map[smt.Term]origin
	byBase  map[smt.Term]int
	outside map[smt.Term]bool
	// unknown and unknownContent are the values of unknown origin (unknown.go). If allUnknown, all arbitrary values
	// are.
	unknown        map[smt.Term]Origin
	unknownContent map[smt.Func]Origin
	allUnknown     bool
	unknownMemo    map[smt.Term]int  // memo of unknownBits
	pointers       map[smt.Term]bool // the values of unknown origin that the program cast to integers
	zero           *Version
	cands          map[smt.Term][]Candidate
	many           map[smt.Term]bool // pointers with more than maxCandidates
	// fromNull maps a result of pointer arithmetic to the condition that it is derived from NULL (null.go).
	fromNull map[smt.Term]smt.Term
	bases    map[smt.Term]bool // memo of hasBase
	roles    map[smt.Term]role
	// swapped has the terms with the reverse order of bytes (value).
	swapped map[smt.Term]smt.Term
}

// Int returns an address, offset or size.
func (m *Memory) Int(v uint64) smt.Term { return m.C.Int(m.Width, v) }

// IntS returns a signed offset.
func (m *Memory) IntS(v int64) smt.Term { return m.C.IntS(m.Width, v) }

// New returns an empty memory whose terms live in c, for addresses of 64 bits.
func New(c *smt.Context) *Memory { return NewFor(c, space.Of(64, 16), false) }

// NewFor returns an empty memory for an address space and a byte order.
func NewFor(c *smt.Context, s space.Space, bigEndian bool) *Memory {
	return &Memory{C: c, Width: s.Width, BigEndian: bigEndian, Space: s,
		Stats: map[string]int64{}, byBase: map[smt.Term]int{}, outside: map[smt.Term]bool{},
		zero: &Version{kind: layerZero}, origins: map[smt.Term]origin{},
		cands: map[smt.Term][]Candidate{}, many: map[smt.Term]bool{},
		fromNull: map[smt.Term]smt.Term{}, bases: map[smt.Term]bool{},
		roles: map[smt.Term]role{}, unknown: map[smt.Term]Origin{}, unknownContent: map[smt.Func]Origin{},
		swapped: map[smt.Term]smt.Term{}, unknownMemo: map[smt.Term]int{}, pointers: map[smt.Term]bool{}}
}

// State is the shadow state of all objects at one point of an execution.
//
// It is persistent: a copy is cheap and shares all unmodified parts.
type State struct {
	objects table
	// Tracking is whether modifications are recorded (sea_tracking_on).
	Tracking smt.Term
	// Limits restrict the locations that may be written (limit.go).
	Limits Limits
}

// NewState returns the state in which no object exists.
func (m *Memory) NewState() *State { return &State{Tracking: m.C.False()} }

// Fork returns a copy of s; both may be changed independently afterwards.
func (s *State) Fork() *State {
	return &State{objects: s.objects.fork(), Tracking: s.Tracking, Limits: s.Limits}
}

func (s *State) get(id int) *shadow    { return s.objects.get(id) }
func (s *State) set(id int, o *shadow) { s.objects.set(id, o) }

// Live returns the condition under which object id is alive in s, relative to the path condition of s.
func (m *Memory) Live(s *State, id int) smt.Term {
	if o := s.get(id); o != nil {
		return m.C.And(o.made, m.C.Not(o.freed))
	}
	return m.C.False()
}

// Made returns the condition under which object id was allocated in s, whether or not it is still alive.
func (m *Memory) Made(s *State, id int) smt.Term {
	if o := s.get(id); o != nil {
		return o.made
	}
	return m.C.False()
}

// Content returns the content of object id, or nil if it was never allocated on this path.
func (s *State) Content(id int) *Version {
	if o := s.get(id); o != nil {
		return o.content
	}
	return nil
}

// SetContent replaces the content of object id. touched is the condition under which this counts as a write.
func (m *Memory) SetContent(s *State, id int, v *Version, touched smt.Term) {
	o := *s.get(id)
	o.content = v
	if m.Objects[id].Kind != Function {
		o.modified = m.C.Or(o.modified, m.C.And(s.Tracking, touched))
	}
	s.set(id, &o)
}

// Kill ends the lifetime of object id under cond.
func (m *Memory) Kill(s *State, id int, cond smt.Term) {
	if p := s.get(id); p != nil {
		o := *p
		o.freed = m.C.Or(o.freed, cond)
		s.set(id, &o)
	}
}

// Keep sets, under cond, whether the given parts of object id are constant from now on.
func (m *Memory) Keep(s *State, id int, parts []Part, constant bool, cond smt.Term) {
	p := s.get(id)
	if p == nil || !constant && p.constant == 0 {
		return
	}
	o := *p
	m.Objects[id].Parts = parts
	o.constant = m.C.Ite(cond, m.C.BoolConst(constant), m.constant(p))
	s.set(id, &o)
}

func (m *Memory) constant(o *shadow) smt.Term {
	if o.constant == 0 {
		return m.C.False()
	}
	return o.constant
}

// Kept returns the condition under which a write of n bytes at an offset of object id hits a constant part.
func (m *Memory) Kept(s *State, id int, off, n smt.Term) smt.Term {
	c, t := m.C, m.C.False()
	o := s.get(id)
	if o == nil || o.constant == 0 {
		return t
	}
	for _, p := range m.Objects[id].Parts {
		t = c.Or(t, c.And(c.Ult(off, m.IntS(p.Off+p.Len)), c.Ult(m.IntS(p.Off), c.Add(off, n))))
	}
	return c.And(o.constant, t)
}

// Modified returns the condition under which object id was written since the last reset.
func (m *Memory) Modified(s *State, id int) smt.Term {
	if o := s.get(id); o != nil {
		return o.modified
	}
	return m.C.False()
}

// ResetModified marks object id as unmodified under cond.
func (m *Memory) ResetModified(s *State, id int, cond smt.Term) {
	if p := s.get(id); p != nil {
		o := *p
		o.modified = m.C.And(o.modified, m.C.Not(cond))
		s.set(id, &o)
	}
}

// NewObject allocates an object that is alive from now on if made holds. Align is in bytes.
func (m *Memory) NewObject(s *State, proto Object, content *Version, made smt.Term) *Object {
	o := proto
	o.ID, o.made = len(m.Objects), o.Size
	log2 := 0
	for int64(1)<<(log2+1) <= o.Align {
		log2++
	}
	o.Base = m.C.VarAligned("base."+o.Name, m.Width, log2)
	o.before = s.Fork()
	m.Objects = append(m.Objects, &o)
	m.byBase[o.Base] = o.ID
	s.set(o.ID, &shadow{content: content, made: made, freed: m.C.False(), modified: m.C.False()})
	return &o
}

// Narrow applies f, which simplifies terms by current knowledge, to the sizes of all objects.
func (m *Memory) Narrow(f func(smt.Term) smt.Term) {
	for _, o := range m.Objects {
		o.Size = f(o.Size)
	}
}

// MayReuse declares that the new object id may occupy the address of object old under cond.
//
// realloc ends one lifetime before it begins the other.
func (m *Memory) MayReuse(id, old int, cond smt.Term) {
	m.Kill(m.Objects[id].before, old, cond)
}

// MergeStates returns the state that is a if cond holds, and b if not.
func (m *Memory) MergeStates(cond smt.Term, a, b *State) *State {
	if a == b {
		return a
	}
	c := m.C
	out := a.Fork()
	out.Tracking = c.Ite(cond, a.Tracking, b.Tracking)
	out.Limits = a.Limits.merge(b.Limits)
	differences(&a.objects, &b.objects, func(id int, x, y *shadow) { out.set(id, m.mergeShadow(cond, x, y)) })
	return out
}

func (m *Memory) mergeShadow(cond smt.Term, x, y *shadow) *shadow {
	c := m.C
	switch {
	case x == nil: // allocated only in the other branch
		o := *y
		o.made = c.And(c.Not(cond), y.made)
		o.modified = c.And(c.Not(cond), y.modified)
		return &o
	case y == nil:
		o := *x
		o.made = c.And(cond, x.made)
		o.modified = c.And(cond, x.modified)
		return &o
	}
	if c.IsTrue(x.freed) && c.IsTrue(y.freed) {
		return x // dead in both branches, thus unreadable
	}
	constant := x.constant
	if x.constant != y.constant {
		constant = c.Ite(cond, m.constant(x), m.constant(y))
	}
	return &shadow{
		constant: constant,
		content:  m.Merge(cond, x.content, y.content),
		made:     c.Ite(cond, x.made, y.made),
		freed:    c.Ite(cond, x.freed, y.freed),
		modified: c.Ite(cond, x.modified, y.modified),
	}
}
