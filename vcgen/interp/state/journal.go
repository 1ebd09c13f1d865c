package state

import (
	"maps"
	"slices"
	"weak"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Journal stores overwritten parts of a state, so that each earlier state can be restored.
//
// An execution is divided into epochs. Before an epoch's first change of a page, of the rest of an object, or of a
// frame, the old version is copied into the epoch. Undoing epochs from the last one back restores the states at their
// beginnings; the cost is proportional to the changes. Undoing swaps old and new, so the same data can redo the
// epoch.
//
// A stamp is the number of an epoch. Pages, objects and frames have the stamp under which they were last saved, and
// objects the one under which they were created: an object younger than the epoch need not be saved.
type Journal struct {
	s      *State
	stamp  uint32
	stamps uint32 // assigned so far
	now    *Epoch // receives the changes

	// count is the number of objects created so far. numbered finds those of the first execution by their serial
	// numbers. again does the same for objects that a replay creates, from serial number base+1 on. The references
	// are weak, because a long run creates millions of objects.
	count, base     int
	numbered, again []weak.Pointer[Object]
	replaying       bool
}

func NewJournal(s *State) *Journal {
	s.Journal = &Journal{s: s}
	return s.Journal
}

// Epoch is a section of the execution: the state at its beginning, and its changes.
type Epoch struct {
	begin    moment
	pages    []savedPage
	objects  []savedObject
	frames   []savedFrame
	changes  []change
	swapped  bool // the saved copies are those of the end of the epoch
	finished bool
}

type savedPage struct {
	o    *Object
	k    uint64
	page *Page // nil if it did not exist
}

type savedObject struct {
	o    *Object
	copy Object // without first and pages
}

type savedFrame struct {
	fr   *Frame
	copy Frame
}

// change is an insertion into or a deletion from a table of the machine.
type change struct {
	what   changeKind
	site   int
	global *llvmir.Global
	fn     *llvmir.Func
	object *Object
}

type changeKind uint8

const (
	madeAt       changeKind = iota // another object was created at site
	globalMade                     // state.globals
	functionMade                   // state.funcs
	laidDown                       // object was added to Layout.Laid
	takenUp                        // object was removed from Layout.Laid
)

// moment is the part of a state that is small enough to be copied.
type moment struct {
	frames          []*Frame
	at              *llvmir.Instr
	exposed         []*Object
	heap, escaped   []*Object
	placed          []*Object
	next            uint64
	blocks, choices int
	pushes, begun   int
	tracking        bool
	exited          bool
	limits          *Limit
	paused          int
	assumes         []uint64
	executed        int64
	objects         int
}

func (j *Journal) present() moment {
	s := j.s
	return moment{frames: slices.Clone(s.Frames), at: s.At, exposed: slices.Clone(s.Exposed), heap: slices.Clip(s.Heap),
		escaped: slices.Clip(s.Escaped),
		placed:  slices.Clone(s.Layout.Placed), next: s.Layout.Next, blocks: s.Blocks, choices: s.Choices, pushes: s.Pushes,
		begun: s.Begun, exited: s.Exited,
		tracking: s.Tracking, limits: s.Limits, paused: s.Paused, assumes: s.Assumes, executed: s.Executed, objects: j.count}
}

func (j *Journal) restore(m *moment) {
	s := j.s
	s.Frames, s.At, s.Exposed, s.Heap, s.Escaped = slices.Clone(m.frames), m.at, slices.Clone(m.exposed), m.heap, m.escaped
	s.Layout.Placed, s.Layout.Next, s.Blocks, s.Choices = slices.Clone(m.placed), m.next, m.blocks, m.choices
	s.Pushes, s.Begun, s.Exited, s.Tracking, s.Executed = m.pushes, m.begun, m.exited, m.tracking, m.executed
	s.Limits, s.Paused, s.Assumes = m.limits, m.paused, m.assumes
	s.Inputs = nil
	j.count = m.objects
}

// Open begins an epoch at an instruction that is about to be executed, and has already been counted.
func (j *Journal) Open() *Epoch {
	if j.now != nil {
		j.now.finish()
	}
	e := &Epoch{begin: j.present()}
	e.begin.executed--
	j.SaveInto(e)
	return e
}

// Close ends the first execution: nothing is saved until Replay.
func (j *Journal) Close() {
	if j.now != nil {
		j.now.finish()
	}
	j.replaying = true
}

// Replay returns to the beginning of e, whose changes must have been undone.
//
// It returns a new epoch that saves all further changes; the caller must undo it.
func (j *Journal) Replay(e *Epoch) *Epoch {
	j.restore(&e.begin)
	j.base, j.again = j.count, nil
	scratch := &Epoch{begin: e.begin}
	j.SaveInto(scratch)
	return scratch
}

// SaveInto makes further changes be saved in e; nil: they are not saved.
func (j *Journal) SaveInto(e *Epoch) {
	j.stamps++
	j.stamp, j.now = j.stamps, e
}

func (j *Journal) log(c change) {
	if j != nil && j.now != nil {
		j.now.changes = append(j.now.changes, c)
	}
}

// savePage saves page k of o, unless it has been saved; p is nil if the page does not exist.
func (j *Journal) savePage(o *Object, k uint64, p *Page) {
	if j.now != nil && o.born != j.stamp {
		j.now.pages = append(j.now.pages, savedPage{o, k, p.clone()})
	}
}

func (p *Page) clone() *Page {
	if p == nil {
		return nil
	}
	return &Page{Val: slices.Clone(p.Val), State: slices.Clone(p.State), Refs: slices.Clone(p.Refs), stamp: p.stamp}
}

// changing must be called before the page that contains off changes.
func (o *Object) changing(p *Page, off uint64) {
	if j := o.journal; j != nil && p.stamp != j.stamp {
		j.savePage(o, off/PageSize, p)
		p.stamp = j.stamp
	}
}

// Change must be called before o changes other than in its pages.
func (o *Object) Change() {
	j := o.journal
	if j == nil || o.stamp == j.stamp || o.born == j.stamp {
		return
	}
	if j.now != nil {
		c := *o
		c.First, c.Pages = nil, nil
		j.now.objects = append(j.now.objects, savedObject{o, c})
	}
	o.stamp = j.stamp
}

// SaveFrame saves fr. ahead is 1 if the program counter is already after the current instruction.
func (j *Journal) SaveFrame(fr *Frame, ahead int) {
	if fr.stamp == j.stamp {
		return
	}
	if j.now != nil {
		c := fr.clone()
		c.PC -= ahead
		j.now.frames = append(j.now.frames, savedFrame{fr, c})
	}
	fr.stamp = j.stamp
}

// Born records that fr was pushed in the current epoch.
func (j *Journal) Born(fr *Frame) { fr.stamp = j.stamp }

// Made assigns a serial number to a new object.
func (j *Journal) Made(o *Object) {
	j.count++
	o.journal, o.Serial = j, int32(j.count)
	if j.replaying {
		j.again = append(j.again, weak.Make(o))
	} else {
		j.numbered = append(j.numbered, weak.Make(o))
	}
	o.born, o.stamp = j.stamp, j.stamp
	if j.s.Layout.Laid[o] {
		j.log(change{what: laidDown, object: o})
	}
}

// Ending records that the lifetime of an object is about to end.
func (j *Journal) Ending(o *Object) {
	if j.s.Layout.Laid[o] {
		j.log(change{what: takenUp, object: o})
	}
}

// Object returns an object by its serial number; nil if it does not exist yet or is unreachable.
func (j *Journal) Object(serial int) *Object {
	switch {
	case serial < 1 || serial > j.count:
		return nil
	case serial <= j.base:
		return j.numbered[serial-1].Value()
	}
	return j.again[serial-j.base-1].Value()
}

// Swap moves the state from the end of an epoch to its beginning, or back, by swapping the saved copies with the
// state.
//
// The parts in moment are left to restore.
func (e *Epoch) Swap(st *State) {
	if !e.swapped {
		for i := len(e.changes) - 1; i >= 0; i-- {
			st.apply(&e.changes[i], false)
		}
	} else {
		for i := range e.changes {
			st.apply(&e.changes[i], true)
		}
	}
	for i := range e.pages {
		s := &e.pages[i]
		now := s.o.pageAt(s.k)
		s.o.setPage(s.k, s.page)
		s.page = now
	}
	for i := range e.objects {
		s := &e.objects[i]
		now := *s.o
		*s.o = s.copy
		s.o.First, s.o.Pages = now.First, now.Pages
		s.copy = now
	}
	for i := range e.frames {
		s := &e.frames[i]
		*s.fr, s.copy = s.copy, *s.fr
	}
	e.swapped = !e.swapped
}

func (s *State) apply(c *change, again bool) {
	switch c.what {
	case madeAt:
		if again {
			s.Made[c.site]++
		} else {
			s.Made[c.site]--
		}
	case globalMade:
		if again {
			s.Globals[c.global] = c.object
		} else {
			delete(s.Globals, c.global)
		}
	case functionMade:
		if again {
			s.Funcs[c.fn] = c.object
		} else {
			delete(s.Funcs, c.fn)
		}
	case laidDown, takenUp:
		if again == (c.what == laidDown) {
			s.Layout.Laid[c.object] = true
		} else {
			delete(s.Layout.Laid, c.object)
		}
	}
}

func (o *Object) pageAt(k uint64) *Page {
	if k == 0 {
		return o.First
	}
	return o.Pages[k]
}

func (o *Object) setPage(k uint64, p *Page) {
	switch {
	case k == 0:
		o.First = p
	case p == nil:
		delete(o.Pages, k)
	default:
		if o.Pages == nil {
			o.Pages = map[uint64]*Page{}
		}
		o.Pages[k] = p
	}
}

// finish removes changes that cancel out, so that objects created and ended in the epoch are not retained.
func (e *Epoch) finish() {
	if e.finished {
		return
	}
	e.finished = true
	gone := map[*Object]bool{}
	for _, c := range e.changes {
		if c.what == laidDown {
			gone[c.object] = false
		} else if _, came := gone[c.object]; came && c.what == takenUp {
			gone[c.object] = true
		}
	}
	sites := map[int]int{}
	retained := e.changes[:0:0]
	for _, c := range e.changes {
		switch {
		case c.what == madeAt:
			sites[c.site]++
		case (c.what == laidDown || c.what == takenUp) && gone[c.object]:
		default:
			retained = append(retained, c)
		}
	}
	for _, site := range slices.Sorted(maps.Keys(sites)) {
		for range sites[site] {
			retained = append(retained, change{what: madeAt, site: site})
		}
	}
	e.changes = slices.Clip(retained)
}
