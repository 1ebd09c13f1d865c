package editing

import (
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/cache"
	"github.com/unitproof/unitproof/pipeline/ondisk"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/pipeline/trust"
	"github.com/unitproof/unitproof/vcgen/found"
)

// state is what the loop of a Workspace works on. Only fields that say so may be used elsewhere.
type state struct {
	w     *Workspace
	opts  Options
	files *files
	view  atomic.Pointer[view] // the present one, for readers on other goroutines
	moves *moves

	// What listing proofs remembers; see listing.go.
	memory    *project.Memory
	stamps    sync.Map          // path -> ondisk.Stamp; used by readers, too
	good      map[string]string // configuration -> its last text without problems
	responses map[string]bool   // response files that flags name
	relist    bool
	moved     bool      // files may have appeared or gone, or settings changed: definitions may be elsewhere
	records   []*record // by file, then place
	byID      map[ProofID]*record
	dormant   map[ProofID]*record // proofs that an unsaved text does not have any more
	faults    map[string][]project.Problem
	// untrusted are the requests of roots that were not allowed.
	untrusted []trust.Request

	// Inputs that are not worked off yet.
	events  []string        // paths that may have changed on disk
	changed map[string]bool // files whose content is another one now
	touched map[string]bool // files that were written
	all     bool            // settings changed: whatever is stale is due
	edited  bool            // something changed, the quiet time begins anew

	focus   focus
	quiet   *time.Timer // nil: not waiting
	clock   uint64      // counts changes, to tell recent ones
	running sync.WaitGroup
	runs    [places]int // under way, by their places
	farness farness
	// lead is a run that somebody looks at and that has not told yet what it read. It has all cores for its
	// compilers: after an edit of a header the others would compile the same files beside it.
	lead    *run
	done    int // of the present batch
	arrived int // results since files were forgotten

	dirty   bool
	version uint64
	message string
	kept    *cache.Store
	keptDir string
	imports imports
	unkept  string   // why results are not kept, as far as it was told
	written []string // files that changed on disk since the last update
	applied []chan *Snapshot
	settled []chan *Snapshot
	watcher *diskWatch
	seen    int // files that were tracked when the watcher was told last
}

// focus is what the user looks at.
type focus struct {
	visible []string
	path    string
	line    int
}

// want says how much a proof is to be verified.
type want uint8

const (
	notWanted want = iota
	whenIdle       // changed while typing: if it is cheap
	due            // changed and saved
	asked          // by the user
)

// record is what is known of one proof. Its state is the same for others.
type record struct {
	id        ProofID
	proof     project.Proof
	listed    int // counts the versions of proof
	root      paths.Root
	workspace *project.Workspace
	mode      project.On
	trusted   bool // it may be compiled and run
	key       ondisk.Hash
	state     *ProofState

	result, earlier *diagnostics.Proof
	about, early    *basis
	covered         found.Coverage
	elapsed         time.Duration
	partial         []diagnostics.Finding
	reason          string
	imported        string // the file of results that the result comes from; "": a run here, now or before

	// Fresh is: a result, with the same key, no file that differs, no definition that does.
	differs    map[string]bool // files whose content is not that of the result
	undefined  bool            // what is missing is defined elsewhere than it was; checked as a whole
	redefining map[string]bool // files that define other names than they did

	want     want
	force    bool // even if it is fresh
	coverage bool
	explain  bool
	here     bool // no cluster is to do it, since one did not
	run      *run
	edited   uint64 // clock of the last change of an input
	spins    int    // runs in a row whose inputs did not keep still
}

func (r *record) fresh() bool {
	b := r.about
	return r.result != nil && b != nil && b.key == r.key && !b.moving && len(r.differs) == 0 && !r.undefined &&
		len(r.redefining) == 0
}

func (r *record) phase() Phase {
	switch {
	case r.run != nil:
		return Running
	case r.want != notWanted:
		return Queued
	}
	return Idle
}

const quietTime = 250 * time.Millisecond

func newState(w *Workspace, opts Options) *state {
	if opts.check == nil && opts.Pool != nil {
		opts.check, opts.jobs = opts.Pool.Check, opts.Pool.Jobs()
	}
	if opts.quiet == 0 {
		opts.quiet = quietTime
	}
	s := &state{w: w, opts: opts, files: newFiles(), moves: &moves{}, memory: project.NewMemory(),
		good: map[string]string{},
		byID: map[ProofID]*record{}, dormant: map[ProofID]*record{}, faults: map[string][]project.Problem{},
		changed: map[string]bool{}, touched: map[string]bool{}}
	s.view.Store(s.files.view())
	return s
}

func (s *state) open() {
	s.relist, s.all, s.dirty = true, true, true
	if s.opts.Watch {
		s.watch()
	}
	s.setResults(s.opts.Results)
}

func (s *state) setFolders(folders []string) {
	s.opts.Folders, s.moved = folders, true
	s.memory.ForgetFolders()
	s.relist, s.all = true, true
	s.rewatch()
}

func (s *state) setClient(c project.Settings) {
	s.opts.Client = c
	s.relist, s.all = true, true
}

func (s *state) setMeans(jobs int, solver, cacheDir string) {
	s.opts.jobs = jobs
	s.opts.Solver, s.opts.CacheDir = solver, cacheDir
	s.relist, s.all, s.imports.rests = true, true, nil
}

func (s *state) setTrusted(trusted bool) {
	if s.opts.Trusted == trusted && s.opts.Allowed == nil {
		return
	}
	s.opts.Trusted, s.opts.Allowed, s.all, s.dirty = trusted, nil, true, true
	if !trusted {
		s.cancel(nil)
	}
	s.relist = true
}

func (s *state) setAllowed(allowed func(trust.Request) bool) {
	s.opts.Trusted, s.opts.Allowed, s.relist, s.dirty = false, allowed, true, true
}

// setBuffer: nil closes.
func (s *state) setBuffer(path string, text []byte) {
	s.dirty = true
	known := s.files.now.buffers[path] != nil
	if !s.files.setBuffer(path, text) {
		return
	}
	s.clock++
	s.edited = true
	for _, p := range s.files.namesOf(path) {
		s.changed[p] = true
	}
	if s.matters(path) {
		s.relist = true
		s.moved = s.moved || s.isSetting(path) || !known || text == nil
	}
	if text == nil || !known {
		s.events = append(s.events, path) // what is on disk counts, or is compared with, from now on
	}
	// A text that equals the disk's is saved, whoever wrote it.
	if text == nil || !s.unsaved(path) {
		for _, p := range s.files.namesOf(path) {
			s.touched[p] = true
		}
	}
}

func (s *state) saved(path string) {
	s.retrust()
	s.lookAround(path)
	s.events = append(s.events, path)
	for _, p := range s.files.namesOf(path) {
		s.touched[p] = true
	}
}

// lookAround finds the files that changed without an event among those that a saved file's results rest on: watchers
// lose some, and whoever saves wants to know what holds now.
func (s *state) lookAround(path string) {
	looked := map[string]bool{path: true}
	for _, r := range s.records {
		if r.about == nil {
			continue
		}
		if _, rests := r.about.files[path]; !rests {
			continue
		}
		for other := range r.about.files {
			if looked[other] || pipeline.InSystemFolder(other) {
				continue
			}
			if looked[other] = true; s.files.altered(other) {
				s.events = append(s.events, other)
				s.touched[other] = true
			}
		}
	}
}

func (s *state) filesChanged(paths []string) { s.events = append(s.events, paths...) }

func (s *state) verify(ids []ProofID, opts VerifyOptions) {
	s.retrust()
	s.settle()
	s.each(ids, func(r *record) {
		if !r.trusted {
			return
		}
		if r.run.upToDate() && (!opts.Coverage || r.run.coverage) && (!opts.Explain || r.run.explain) {
			return // it is being done
		}
		r.want, r.spins = asked, 0
		r.force = r.force || opts.Force
		r.coverage = r.coverage || opts.Coverage
		r.explain = r.explain || opts.Explain
		s.dirty = true
	})
}

func (s *state) cancel(ids []ProofID) {
	s.settle()
	s.each(ids, func(r *record) {
		if r.want == notWanted && r.run == nil {
			return
		}
		r.want, r.force, r.coverage, r.explain = notWanted, false, false, false
		r.reason = "cancelled"
		if r.run != nil {
			r.run.stop()
		}
		s.dirty = true
	})
}

// each calls f for the proofs that still are; nil: for all.
func (s *state) each(ids []ProofID, f func(*record)) {
	if ids == nil {
		for _, r := range s.records {
			f(r)
		}
	}
	for _, id := range ids {
		if r := s.byID[id]; r != nil {
			f(r)
		}
	}
}

// reconcile does what the inputs have left to do, after each batch of them.
func (s *state) reconcile() {
	s.settle()
	if s.files.tracked != s.seen {
		s.seen = s.files.tracked
		s.rewatch()
	}
	if s.w.closing() {
		return // listing may have taken long: a run would be started only to be ended
	}
	s.schedule()
	s.publish()
}

// settle brings the records up to date with the inputs so far.
func (s *state) settle() {
	s.lookAtDisk()
	s.view.Store(s.files.view())
	if s.relist {
		s.list()
		s.imports.look = true
	}
	s.compareChanged()
	if s.imports.look || len(s.changed) > 0 {
		s.importResults()
	}
	s.decide()
	clear(s.changed)
	clear(s.touched)
	s.all, s.edited = false, false
}

// lookAtDisk finds out what the events mean.
func (s *state) lookAtDisk() {
	if len(s.events) == 0 {
		return
	}
	paths := slices.Clone(s.events)
	s.events = s.events[:0]
	slices.Sort(paths)
	paths = slices.Compact(paths)
	changed := s.files.refresh(paths)
	s.written = append(s.written, changed...)
	for _, p := range changed {
		// Where a document is open its text counts, and that is what was written if they are equal.
		b := s.files.now.buffer(p)
		if b == nil {
			s.changed[p], s.touched[p] = true, true
		} else if b.hash == s.files.now.disk[p].hash {
			s.touched[p] = true
		}
		s.clock++
	}
	for _, p := range paths {
		s.imports.look = s.imports.look || s.isImport(p)
		if !s.isSetting(p) && s.files.now.disk[p] == nil && s.files.now.buffers[p] == nil && !s.memory.Covers(p) &&
			!s.isCandidate(p) {
			continue // somewhere else
		}
		if s.mayList(p) {
			s.changed[p] = true // what it defines may be another thing, even if nothing rests on it yet
			s.relist, s.dirty = true, true
			s.written = append(s.written, p)
			s.touched[p] = s.touched[p] || !s.unsaved(p)
		}
	}
}

// compareChanged finds out which results the changed files make stale, or fresh again.
func (s *state) compareChanged() {
	if len(s.changed) == 0 {
		return
	}
	now := s.files.now
	for _, r := range s.records {
		if r.run != nil && !r.run.outdated {
			r.run.outdated = r.run.restsOn(s.changed, r)
		}
		if r.about == nil {
			continue
		}
		for path := range s.changed {
			if then, rests := r.about.files[path]; rests {
				r.edited, r.spins, s.dirty = s.clock, 0, true
				if now.hash(path) != then {
					r.differs[path] = true
				} else {
					delete(r.differs, path)
				}
			}
			s.compareDefinitions(r, path)
		}
	}
}

// decide says which proofs the changes have verified, and when.
func (s *state) decide() {
	waiting := false
	for _, r := range s.records {
		if r.fresh() || r.mode == project.OnManual || !r.trusted {
			continue
		}
		if r.run.upToDate() {
			continue // it is being done
		}
		if s.saves(r) {
			r.want = max(r.want, due)
			r.reason = ""
		} else if r.mode == project.OnIdle && s.edited && r.want < due {
			waiting = true
			if r.run != nil && r.run.outdated {
				r.run.stop()
			}
		}
	}
	if !waiting {
		return
	}
	if s.quiet != nil {
		s.quiet.Stop()
	}
	var timer *time.Timer
	timer = time.AfterFunc(s.opts.quiet, func() {
		s.w.send(func() {
			if s.quiet == timer {
				s.quiet = nil
				s.becomeIdle()
			}
		})
	})
	s.quiet = timer
}

// saves tells whether what was written concerns a proof that is not fresh.
func (s *state) saves(r *record) bool {
	if s.all {
		return true
	}
	if len(s.touched) == 0 {
		return false
	}
	if r.about == nil || s.touched[r.proof.File] {
		return s.touched[r.proof.File]
	}
	settings := r.about.key != r.key || r.undefined
	for path, touched := range s.touched {
		if !touched {
			continue
		}
		if r.differs[path] || r.redefining[path] || settings && s.isSetting(path) {
			return true
		}
	}
	return r.undefined && slices.ContainsFunc(keysOf(s.touched), func(p string) bool { return filepath.Ext(p) == ".c" })
}

// cheapRun bounds, by the last run, what is verified while the user types.
const cheapRun = 3 * time.Second

func (s *state) becomeIdle() {
	for _, r := range s.records {
		if r.mode != project.OnIdle || r.fresh() || !r.trusted || r.want >= due {
			continue
		}
		s.dirty = true
		if r.elapsed > cheapRun {
			r.reason = fmt.Sprintf("verified when it is saved: the last time it took %.0f s", r.elapsed.Seconds())
			continue
		}
		r.want, r.reason = whenIdle, ""
	}
}

// close ends everything that is under way.
func (s *state) close() {
	if s.quiet != nil {
		s.quiet.Stop()
	}
	for _, r := range s.records {
		if r.run != nil {
			r.run.stop()
		}
	}
	s.unwatch()
	if s.imports.watch != nil {
		s.imports.watch.Close()
	}
}

func keysOf(set map[string]bool) []string {
	out := make([]string, 0, len(set))
	for k := range set {
		out = append(out, k)
	}
	return out
}
