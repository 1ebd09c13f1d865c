// Package mem is the memory model of the symbolic executor: objects, fat pointers, shadow
// state, store maps and address-range maps.
//
// A pointer is a 64-bit term. Its provenance is in its structure: every object has a base
// symbol, and Candidates splits a term into the guarded set of (object, offset) pairs that
// it may denote. So pointers survive being stored, copied byte by byte and cast to
// integers and back without a second representation. A number for a base is constrained
// only when a formula really mentions the symbol (Axioms).
//
// Reading order: memory.go (objects, states), version.go and read.go (the content of an
// object: store maps), pointer.go (fat pointers and address-range maps), access.go (the
// obligations of an access), address.go (layout axioms).
//
// Sources: segment:offset memory with symbolic sizes and multi-writes from Trtik and
// Strejcek, Symbolic Memory with Pointers (ATVA 2014); store maps and address-range maps
// from Zhou, Expressive and Efficient Memory Representation for BMC of C programs (2022);
// shadow state from Priya et al., Bounded Model Checking for LLVM (FMCAD 2022).
package mem

import (
	"github.com/unitproof/unitproof/vcgen/smt"
)

// ObjectKind tells where an object lives.
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
	Site int    // instruction that made it; 0 for globals and functions
	// Size in bytes, 64 bits. What is assumed later may rewrite it (Narrow); the layout
	// axioms, which have no place in the order of events, speak of the size it was made with.
	Size  smt.Term
	made  smt.Term
	Base  smt.Term // its address as a number
	Const bool
	// Parts are constant where the state says so (Keep).
	Parts []Part
	// Mergeable: a constant whose address is not significant; it may share memory with
	// other such constants, where what they have in common is the same.
	Mergeable bool
	// Temporary: of the compiler (llvmir.Instr.Temporary).
	Temporary bool
	// Data is the content of a mergeable constant.
	Data []byte
	// Fn is the index of the function of a Function object.
	Fn int
	// Guard is when it was made (branch conditions only).
	Guard smt.Term
	// before is the state at its allocation, to know what was alive then.
	before *State
	Align  int64 // in bytes, a power of two
	// Part: bytes that somebody has, as an object or as a part of one. Without any it takes no room.
	Part bool
	// Lent: an allocation that is not the program's to free.
	Lent bool
	// Unframed: no frame of a contract counts what is written to it (errno).
	Unframed bool
	// Library: the same of what the C library keeps between calls. A contract is taken to leave it as it is.
	Library bool
	// Spare: more bytes than these may lie behind, which nobody may rely on.
	Spare bool
	// Aligned is what the address is a multiple of as well where that is a power of two; 0: of nothing else.
	Aligned smt.Term
}

// Part is a part of an object, in bytes.
type Part struct{ Off, Len int64 }

// shadow is the state of one object: its content and its shadow bits.
type shadow struct {
	content *Version
	// made is when the object exists at all; freed when its lifetime has ended, where it
	// exists. A pointer to an object implies made, so freed alone decides whether two
	// lifetimes overlap.
	made, freed smt.Term
	modified    smt.Term
	kept        smt.Term // when its parts are constant; 0: never
}

// Mechanisms that can be switched off to measure their worth.
type Mechanisms struct {
	StoreMap        bool // every write becomes a symbolic layer
	AddressRangeMap bool // pointer comparisons go through addresses
}

// Memory owns the objects of one proof.
type Memory struct {
	C       *smt.Context
	Objects []*Object
	Stats   map[string]int64
	Off     Mechanisms
	// ReadsFreed: memory of the heap that was freed is read as it was left, since some such reads are accepted.
	ReadsFreed bool
	// TooLarge is set when a read would need a select-chain beyond the limit; its value
	// is arbitrary then, and the caller must answer unknown.
	TooLarge bool
	// Ended, where it is set, is asked now and then whether the run is over: one read through hundreds of copies of
	// unknown lengths can take longer than all the rest. What it gives then is arbitrary, and for nobody any more.
	Ended func() bool
	steps uint // of reads, to know when to ask
	over  bool // Ended has said so
	// OnRead, where it is set, is told of each read of arbitrary content: n bytes at an offset (64 bits).
	OnRead func(content smt.Func, off smt.Term, n int64)
	// Reading: reads of arbitrary content are noted in Reads.
	Reading bool
	Reads   []Reading
	noted   map[Reading]bool

	// probes are the reads of a Probe, nil where none is under way.
	probes map[probe]smt.Term

	// origins is where values were read, for those that the program read at offsets which are not constant.
	origins map[smt.Term]origin
	byBase  map[smt.Term]int
	outside map[smt.Term]bool
	// unknown and unknownContent are the values of unknown origin (unknown.go); allUnknown: all arbitrary ones are.
	unknown        map[smt.Term]Origin
	unknownContent map[smt.Func]Origin
	allUnknown     bool
	unknownMemo    map[smt.Term]int  // memo of unknownBits
	pointers       map[smt.Term]bool // of these values, those that the program made numbers of
	zero           *Version
	cands          map[smt.Term][]Candidate
	// fromNull is when a pointer that arithmetic made comes from NULL (null.go).
	fromNull map[smt.Term]smt.Term
	bases    map[smt.Term]bool // memo of hasBase
	roles    map[smt.Term]role
}

// New returns an empty memory whose terms live in c.
func New(c *smt.Context) *Memory {
	return &Memory{C: c, Stats: map[string]int64{}, byBase: map[smt.Term]int{}, outside: map[smt.Term]bool{},
		zero: &Version{kind: layerZero}, origins: map[smt.Term]origin{},
		cands: map[smt.Term][]Candidate{}, fromNull: map[smt.Term]smt.Term{}, bases: map[smt.Term]bool{},
		roles: map[smt.Term]role{}, unknown: map[smt.Term]Origin{}, unknownContent: map[smt.Func]Origin{},
		unknownMemo: map[smt.Term]int{}, pointers: map[smt.Term]bool{}}
}

// State is the shadow state of every object at one point of the execution. It is
// persistent: a copy is cheap and shares what was not written since.
type State struct {
	objects table
	// Tracking is whether modifications are recorded (sea_tracking_on).
	Tracking smt.Term
	// Limits say what may be written (limit.go).
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

// Live returns when object id is alive in s (relative to the path of s).
func (m *Memory) Live(s *State, id int) smt.Term {
	if o := s.get(id); o != nil {
		return m.C.And(o.made, m.C.Not(o.freed))
	}
	return m.C.False()
}

// Content returns the content of object id, nil when it was never made on this path.
func (s *State) Content(id int) *Version {
	if o := s.get(id); o != nil {
		return o.content
	}
	return nil
}

// SetContent replaces the content of object id; touched is when that counts as a write.
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

// Keep says under cond whether parts of object id are constant from now on.
func (m *Memory) Keep(s *State, id int, parts []Part, constant bool, cond smt.Term) {
	p := s.get(id)
	if p == nil || !constant && p.kept == 0 {
		return
	}
	o := *p
	m.Objects[id].Parts = parts
	o.kept = m.C.Ite(cond, m.C.BoolConst(constant), m.kept(p))
	s.set(id, &o)
}

func (m *Memory) kept(o *shadow) smt.Term {
	if o.kept == 0 {
		return m.C.False()
	}
	return o.kept
}

// Kept returns when a write of n bytes at an offset of object id writes a part that is constant.
func (m *Memory) Kept(s *State, id int, off, n smt.Term) smt.Term {
	c, t := m.C, m.C.False()
	o := s.get(id)
	if o == nil || o.kept == 0 {
		return t
	}
	for _, p := range m.Objects[id].Parts {
		t = c.Or(t, c.And(c.Ult(off, c.IntS(64, p.Off+p.Len)), c.Ult(c.IntS(64, p.Off), c.Add(off, n))))
	}
	return c.And(o.kept, t)
}

// Modified returns whether object id was written since the last reset.
func (m *Memory) Modified(s *State, id int) smt.Term {
	if o := s.get(id); o != nil {
		return o.modified
	}
	return m.C.False()
}

// ResetModified forgets writes to object id under cond.
func (m *Memory) ResetModified(s *State, id int, cond smt.Term) {
	if p := s.get(id); p != nil {
		o := *p
		o.modified = m.C.And(o.modified, m.C.Not(cond))
		s.set(id, &o)
	}
}

// NewObject makes an object that is alive from now on where made holds. Size has 64 bits; align is in bytes.
func (m *Memory) NewObject(s *State, proto Object, content *Version, made smt.Term) *Object {
	o := proto
	o.ID, o.made = len(m.Objects), o.Size
	log2 := 0
	for int64(1)<<(log2+1) <= o.Align {
		log2++
	}
	o.Base = m.C.VarAligned("base."+o.Name, 64, log2)
	o.before = s.Fork()
	m.Objects = append(m.Objects, &o)
	m.byBase[o.Base] = o.ID
	s.set(o.ID, &shadow{content: content, made: made, freed: m.C.False(), modified: m.C.False()})
	return &o
}

// Narrow rewrites the sizes of all objects by what is known from now on.
func (m *Memory) Narrow(f func(smt.Term) smt.Term) {
	for _, o := range m.Objects {
		o.Size = f(o.Size)
	}
}

// MayReuse says that object id, which was just made, may lie where the object old was,
// under cond: realloc ends the one lifetime before it begins the other.
func (m *Memory) MayReuse(id, old int, cond smt.Term) {
	m.Kill(m.Objects[id].before, old, cond)
}

// MergeStates returns a where cond holds and b elsewhere.
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
	case x == nil: // made in the other branch only
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
		return x // nobody can look at it any more
	}
	kept := x.kept
	if x.kept != y.kept {
		kept = c.Ite(cond, m.kept(x), m.kept(y))
	}
	return &shadow{
		kept:     kept,
		content:  m.Merge(cond, x.content, y.content),
		made:     c.Ite(cond, x.made, y.made),
		freed:    c.Ite(cond, x.freed, y.freed),
		modified: c.Ite(cond, x.modified, y.modified),
	}
}
