package interp

import (
	"maps"
	"slices"
	"strings"
	"weak"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// recorder observes a run so that every moment of it can be had back. The run is cut into
// epochs of chunkLen moments. An epoch holds what it was the first to change: copies of pages,
// of the rest of objects, and of frames, made before the change; so undoing epochs from the
// youngest one back restores their beginnings, at the cost of what changed. Undoing an epoch swaps
// old and new, so that the same data redoes it. A moment inside an epoch is reached by executing
// from its beginning, with the changes in an epoch of its own that is undone and thrown away.
//
// The alternative, a log of every change of every register, was rejected: it takes at least 40
// bytes an instruction, for a register holds 32, where this takes 16, most of them the Stream;
// and executing up to 65 536 instructions again takes less than 10 ms (BenchmarkRecording).
//
// stamp is the number of the epoch that is being written; pages, objects and frames remember
// the stamp under which they were saved, and that under which they were born: what is younger
// than an epoch need not be saved for it.
type recorder struct {
	m      *machine
	stream *Stream // nil while moments are executed again
	stamp  uint32
	stamps uint32 // given out so far
	now    *epoch // gets the changes

	epochs []*epoch // parallel to Stream.chunks

	// count is the number of objects that were made up to the present; numbered finds those of the
	// recorded run by their serials, again those that were made while executing again, from
	// serial base+1 on; weakly, for a long run makes millions.
	count, base     int
	numbered, again []weak.Pointer[object]
	accused         Accused // the access that was checked last, at moment accusedAt-1
	accusedAt       int64
	lines           []uint8 // by Instr.ID: 1 no line of the user's, 2 one, 0 not yet known
}

// epoch is the beginning of a stretch of the run and what the stretch changes.
type epoch struct {
	start    int64 // moment
	state    state // at the beginning
	pages    []savedPage
	objects  []savedObject
	frames   []savedFrame
	changes  []change
	swapped  bool // the saved copies are those of the end
	finished bool
}

type savedPage struct {
	o    *object
	k    uint64
	page *page // nil: there was none
}

type savedObject struct {
	o    *object
	copy object // first and pages do not count
}

type savedFrame struct {
	fr   *frame
	copy frame
}

// change is an entry that a table of the machine got or lost.
type change struct {
	what   changeKind
	site   int
	global *llvmir.Global
	fn     *llvmir.Func
	object *object
}

type changeKind uint8

const (
	madeAt       changeKind = iota // one more object was made at site
	globalMade                     // machine.globals
	functionMade                   // machine.funcs
	laidDown                       // layout.laid got object
	takenUp                        // layout.laid lost object
)

// state is the part of the machine that is small enough to be copied.
type state struct {
	frames          []*frame
	at              *llvmir.Instr
	exposed         []*object
	heap, escaped   []*object
	placed          []*object
	next            uint64
	blocks, choices int
	pushes, begun   int
	tracking        bool
	executed        int64
	objects         int
	tape            uint64
}

func (r *recorder) stateNow() state {
	m := r.m
	s := state{frames: slices.Clone(m.frames), at: m.at, exposed: slices.Clone(m.exposed), heap: slices.Clip(m.heap), escaped: slices.Clip(m.escaped),
		placed: slices.Clone(m.layout.placed), next: m.layout.next, blocks: m.blocks, choices: m.choices, pushes: m.pushes, begun: m.begun,
		tracking: m.tracking, executed: m.out.Executed, objects: r.count}
	if p, ok := m.in.(*Player); ok {
		s.tape = p.position()
	}
	return s
}

func (r *recorder) setState(s *state) {
	m := r.m
	m.frames, m.at, m.exposed, m.heap, m.escaped = slices.Clone(s.frames), s.at, slices.Clone(s.exposed), s.heap, s.escaped
	m.layout.placed, m.layout.next, m.blocks, m.choices = slices.Clone(s.placed), s.next, s.blocks, s.choices
	m.pushes, m.begun, m.tracking, m.out.Executed = s.pushes, s.begun, s.tracking, s.executed
	m.records = nil
	r.count = s.objects
	m.in.(*Player).seek(s.tape)
}

// newStamp makes what is changed from now on be saved in e.
func (r *recorder) newStamp(e *epoch) {
	r.stamps++
	r.stamp, r.now = r.stamps, e
}

func (r *recorder) log(c change) {
	if r.now != nil {
		r.now.changes = append(r.now.changes, c)
	}
}

// savePage keeps page k of o as it is (nil: not there) unless it is kept already.
func (r *recorder) savePage(o *object, k uint64, p *page) {
	if r.now != nil && o.born != r.stamp {
		r.now.pages = append(r.now.pages, savedPage{o, k, p.clone()})
	}
}

func (p *page) clone() *page {
	if p == nil {
		return nil
	}
	return &page{val: slices.Clone(p.val), state: slices.Clone(p.state), refs: slices.Clone(p.refs), stamp: p.stamp}
}

// changing is called before the page that holds off changes.
func (o *object) changing(p *page, off uint64) {
	if r := o.rec; r != nil && p.stamp != r.stamp {
		r.savePage(o, off/pageSize, p)
		p.stamp = r.stamp
	}
}

// change is called before o changes otherwise than in its pages.
func (o *object) change() {
	r := o.rec
	if r == nil || o.stamp == r.stamp || o.born == r.stamp {
		return
	}
	if r.now != nil {
		c := *o
		c.first, c.pages = nil, nil
		r.now.objects = append(r.now.objects, savedObject{o, c})
	}
	o.stamp = r.stamp
}

// saveFrame keeps fr as it is; ahead is 1 when its next instruction has been taken already.
func (r *recorder) saveFrame(fr *frame, ahead int) {
	if fr.stamp == r.stamp {
		return
	}
	if r.now != nil {
		c := fr.clone()
		c.pc -= ahead
		r.now.frames = append(r.now.frames, savedFrame{fr, c})
	}
	fr.stamp = r.stamp
}

func (fr *frame) clone() frame {
	c := *fr
	c.regs, c.own, c.vlas, c.bound = slices.Clone(fr.regs), slices.Clone(fr.own), slices.Clone(fr.vlas), slices.Clone(fr.bound)
	return c
}

// undo goes from the end of an epoch to its beginning, or back: the saved copies and the
// present are swapped. The caller sets the state.
func (e *epoch) swap(m *machine) {
	if !e.swapped {
		for i := len(e.changes) - 1; i >= 0; i-- {
			m.apply(&e.changes[i], false)
		}
	} else {
		for i := range e.changes {
			m.apply(&e.changes[i], true)
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
		s.o.first, s.o.pages = now.first, now.pages
		s.copy = now
	}
	for i := range e.frames {
		s := &e.frames[i]
		*s.fr, s.copy = s.copy, *s.fr
	}
	e.swapped = !e.swapped
}

func (m *machine) apply(c *change, again bool) {
	switch c.what {
	case madeAt:
		if again {
			m.made[c.site]++
		} else {
			m.made[c.site]--
		}
	case globalMade:
		if again {
			m.globals[c.global] = c.object
		} else {
			delete(m.globals, c.global)
		}
	case functionMade:
		if again {
			m.funcs[c.fn] = c.object
		} else {
			delete(m.funcs, c.fn)
		}
	case laidDown, takenUp:
		if again == (c.what == laidDown) {
			m.layout.laid[c.object] = true
		} else {
			delete(m.layout.laid, c.object)
		}
	}
}

func (o *object) pageAt(k uint64) *page {
	if k == 0 {
		return o.first
	}
	return o.pages[k]
}

func (o *object) setPage(k uint64, p *page) {
	switch {
	case k == 0:
		o.first = p
	case p == nil:
		delete(o.pages, k)
	default:
		if o.pages == nil {
			o.pages = map[uint64]*page{}
		}
		o.pages[k] = p
	}
}

// finish drops from an epoch what cancels out, so that objects that came and went in it are
// not kept.
func (e *epoch) finish() {
	if e.finished {
		return
	}
	e.finished = true
	gone := map[*object]bool{}
	for _, c := range e.changes {
		if c.what == laidDown {
			gone[c.object] = false
		} else if _, came := gone[c.object]; came && c.what == takenUp {
			gone[c.object] = true
		}
	}
	sites := map[int]int{}
	kept := e.changes[:0:0]
	for _, c := range e.changes {
		switch {
		case c.what == madeAt:
			sites[c.site]++
		case (c.what == laidDown || c.what == takenUp) && gone[c.object]:
		default:
			kept = append(kept, c)
		}
	}
	for _, site := range slices.Sorted(maps.Keys(sites)) {
		for range sites[site] {
			kept = append(kept, change{what: madeAt, site: site})
		}
	}
	e.changes = slices.Clip(kept)
}

// executing implements observer.
func (r *recorder) executing(fr *frame, in *llvmir.Instr) {
	if r.stream != nil {
		if r.stream.full() {
			r.nextEpoch()
		}
		r.stream.execute(int32(fr.serial), in.ID, r.startsLine(fr, in))
	}
	r.saveFrame(fr, 1)
}

// nextEpoch begins an epoch at the instruction that is about to be executed, and that the
// machine has counted already.
func (r *recorder) nextEpoch() {
	if r.now != nil {
		r.now.finish()
	}
	e := &epoch{start: r.m.out.Executed - 1, state: r.stateNow()}
	e.state.executed--
	if r.stream.open() {
		r.epochs = append(r.epochs[:0:0], r.epochs[1:]...)
	}
	r.epochs = append(r.epochs, e)
	r.newStamp(e)
}

// startsLine tells whether in begins a visit of a line of the user's source.
func (r *recorder) startsLine(fr *frame, in *llvmir.Instr) bool {
	if r.lines == nil {
		r.lines = make([]uint8, len(r.stream.byID))
	}
	if r.lines[in.ID] == 0 {
		r.lines[in.ID] = 1
		if r.m.sourceLine(fr.block, fr.pc, in) {
			r.lines[in.ID] = 2
		}
	}
	f := &r.stream.frames[fr.serial]
	starts := false
	if r.lines[in.ID] == 2 {
		starts = f.line != in.Loc.Line || f.file != in.Loc.File
		f.line, f.file = in.Loc.Line, in.Loc.File
		if starts {
			f.block = fr.block.Index
		}
	}
	if in.Op == llvmir.OpBr && in.Succs[0] <= fr.block.Index && f.block <= in.Succs[0] {
		f.line = 0 // a loop on one line: another iteration visits it anew
	}
	return starts
}

// sourceLine tells whether an instruction stands for a line that a user steps through.
// It stands before index next of block b.
func (m *machine) sourceLine(b *llvmir.Block, next int, in *llvmir.Instr) bool {
	switch in.Op {
	case llvmir.OpBitCast:
		// The argument of llvm.lifetime.start and .end is computed where a block begins or ends.
		if user := b.Instrs[min(next, len(b.Instrs)-1)]; user.Op == llvmir.OpCall && strings.HasPrefix(user.Intrinsic, "lifetime.") {
			return false
		}
	case llvmir.OpAlloca, llvmir.OpDbgDeclare, llvmir.OpDbgValue, llvmir.OpUnreachable:
		return false
	case llvmir.OpBr:
		// At the end of a block in braces clang jumps from the closing one. A jump that is all
		// that its block does may be a break or goto.
		if next > 1 {
			return false
		}
	case llvmir.OpCall:
		switch in.Intrinsic {
		case "lifetime.start", "lifetime.end", "stacksave", "stackrestore":
			return false
		}
	}
	return in.Loc != nil && in.Loc.Line > 0 && m.opts.UserFile(in.Loc.File)
}

// entered implements observer.
func (r *recorder) entered(*frame, int, int) {}

// pushed implements observer.
func (r *recorder) pushed(fr *frame) {
	fr.stamp = r.stamp
	if r.stream != nil {
		parent := -1
		if n := len(r.m.frames); n > 1 {
			parent = r.m.frames[n-2].serial
		}
		r.stream.push(fr, parent)
	}
}

// popped implements observer.
func (r *recorder) popped(fr *frame) {
	if r.stream != nil {
		r.stream.frames[fr.serial].Left = r.stream.Len()
	}
	if len(r.m.frames) > 0 {
		r.saveFrame(r.m.top(), 0)
	}
}

// reading implements observer.
func (r *recorder) reading(o *object, off, n uint64) {
	if r.stream != nil {
		r.stream.access(o.serial, off, n, false)
	}
}

// writing implements observer. The initialiser of a variable is no write.
func (r *recorder) writing(o *object, off, n uint64) {
	if r.stream != nil && (o.kind != static || o.written) {
		r.stream.access(o.serial, off, n, true)
	}
}

// copying implements observer.
func (r *recorder) copying(dst *object, to uint64, src *object, from, n uint64) {
	r.reading(src, from, n)
	r.writing(dst, to, n)
}

// chosen implements observer. What memory holds when it is made was not written.
func (r *recorder) chosen(c *record, o *object, _ uint64) {
	if r.stream == nil || o == nil {
		return
	}
	switch c.kind {
	case "uninitialized", "malloc", "parameter":
		r.stream.takeBack()
	}
}

// made implements observer.
func (r *recorder) made(o *object) {
	r.count++
	o.rec, o.serial = r, int32(r.count)
	if r.stream != nil {
		r.numbered = append(r.numbered, weak.Make(o))
	} else {
		r.again = append(r.again, weak.Make(o))
	}
	o.born, o.stamp = r.stamp, r.stamp
	if r.m.layout.laid[o] {
		r.log(change{what: laidDown, object: o})
	}
}

// ended implements observer.
func (r *recorder) ended(o *object) {
	if r.m.layout.laid[o] {
		r.log(change{what: takenUp, object: o})
	}
}

// marked implements observer.
func (r *recorder) marked(*object, shadowBit, bool) {}
