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

// state is the data of a Workspace's loop. Other goroutines may use only fields marked so.
type state struct {
	w     *Workspace
	opts  Options
	files *files
	view  atomic.Pointer[view] // the current one, for readers on other goroutines
	moves *moves

	// memory is the cache of listing; see listing.go.
	memory    *project.Memory
	stamps    sync.Map          // path -> ondisk.Stamp; also used by readers
	good      map[string]string // configuration -> its last text without errors
	responses map[string]bool   // response files that flags name
	relist    bool
	moved     bool      // files may have appeared or disappeared, or settings changed, so definitions may be elsewhere
	records   []*record // by file, then position
	byID      map[ProofID]*record
	dormant   map[ProofID]*record // proofs that an unsaved text lacks
	faults    map[string][]project.Problem
	// untrusted are the requests of roots that the user has not allowed.
	untrusted []trust.Request

	// Inputs that are not processed yet.
	events  []string        // paths that may have changed on disk
	changed map[string]bool // files whose content has changed
	touched map[string]bool // files that were written
	all     bool            // settings changed: all stale proofs are due
	edited  bool            // something changed; the quiet time restarts

	focus   focus
	quiet   *time.Timer // nil if not waiting
	clock   uint64      // number of changes, to identify recent ones
	running sync.WaitGroup
	runs    [places]int // active runs by place
	farness farness
	// lead is a run of a visible proof that has not reported its dependencies yet. Its compilers have all cores:
	// after an edit of a header, other runs would compile the same files at the same time.
	lead    *run
	done    int // of the current batch
	arrived int // results since files were last forgotten

	dirty     bool
	version   uint64
	message   string
	opened    *cache.Store
	openedDir string
	imports   imports
	unkept    string   // last shown reason that results are not stored
	written   []string // files that changed on disk since the last update
	applied   []chan *Snapshot
	settled   []chan *Snapshot
	watcher   *diskWatch
	seen      int // number of files tracked at the last update of the watcher
}

// focus is the visible documents and the cursor.
type focus struct {
	visible []string
	path    string
	line    int
}

// want is the priority of verifying a proof.
type want uint8

const (
	notWanted want = iota
	whenIdle       // changed while typing: verified if it is cheap
	due            // changed and saved
	asked          // requested by the user
)

// record is the mutable state of one proof; ProofState is its immutable copy for clients.
type record struct {
	id        ProofID
	proof     project.Proof
	listed    int // version of proof
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
	imported        string // the file of results that result was imported from; "" for a local run, now or earlier

	// A record is fresh if it has a result with the same key, and no differing file or definition.
	differs    map[string]bool // files whose content differs from that of the result
	undefined  bool            // the files that define missing names have changed; checked as a whole
	redefining map[string]bool // files whose set of defined names has changed

	want     want
	force    bool // even if it is fresh
	coverage bool
	explain  bool
	here     bool // not on a cluster, since one has failed to do it
	run      *run
	edited   uint64 // clock of the last change of a dependency
	spins    int    // consecutive runs with files that changed during the run
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

// setBuffer stores the text of an open document; nil closes it.
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
		s.events = append(s.events, path) // the text on disk is now effective, or needed for comparison
	}
	// A text that equals the file is saved, regardless of the program that wrote it.
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

// lookAround finds files that changed without an event, among the dependencies of results that depend on a saved
// file. Watchers lose events, and a user who saves expects current results.
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
			return // an up-to-date run is active
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
		r.reason = Cancelled
		if r.run != nil {
			r.run.stop()
		}
		s.dirty = true
	})
}

// each calls f for the existing proofs among ids, or for all if ids is nil.
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

// reconcile processes the effects of the inputs, after each batch of them.
func (s *state) reconcile() {
	s.settle()
	if s.files.tracked != s.seen {
		s.seen = s.files.tracked
		s.rewatch()
	}
	if s.w.closing() {
		return // listing may have taken long, and a new run would be ended at once
	}
	s.schedule()
	s.publish()
}

// settle updates the records to the inputs so far.
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

// lookAtDisk processes the file events.
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
		// The text of an open document takes precedence; the file was written from it if they are equal.
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
			continue // outside of the folders
		}
		if s.mayList(p) {
			s.changed[p] = true // its definitions may have changed, even without a dependent result
			s.relist, s.dirty = true, true
			s.written = append(s.written, p)
			s.touched[p] = s.touched[p] || !s.unsaved(p)
		}
	}
}

// compareChanged updates the freshness of results after file changes.
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

// decide sets the priority of proofs with changed dependencies.
func (s *state) decide() {
	waiting := false
	for _, r := range s.records {
		if r.fresh() || r.mode == project.OnManual || !r.trusted {
			continue
		}
		if r.run.upToDate() {
			continue // an up-to-date run is active
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

// saves reports whether the written files concern a stale proof.
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

// cheapRun is the duration of the last run up to which a proof is verified during typing.
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

// close ends all runs.
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
