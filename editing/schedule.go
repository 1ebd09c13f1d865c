package editing

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/ondisk"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/pipeline/remote"
	"github.com/unitproof/unitproof/vcgen/found"
)

// run is an active check of a proof.
type run struct {
	cancel    context.CancelFunc
	cancelled bool
	began     time.Time
	proof     project.Proof
	key       ondisk.Hash
	view      *view // the documents that it reads
	coverage  bool
	explain   bool
	inputs    *pipeline.Inputs // nil if not reported yet
	outdated  bool             // a dependency has changed
	shown     map[string]bool
	place     runPlace
	cluster   remote.Cluster // its cluster, or zero
	wanted    want           // priority at its start; forced: even if fresh
	forced    bool

	mu      sync.Mutex
	defined map[string][]project.Unit
}

func (r *run) stop() {
	r.cancelled = true
	r.cancel()
}

// upToDate reports whether all files that the run has read are current. It is false before the run has reported them.
func (r *run) upToDate() bool { return r != nil && !r.cancelled && !r.outdated && r.inputs != nil }

func (r *run) answers() map[string][]project.Unit {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.defined)
}

// restsOn reports whether the run depends on a changed file. Before it has reported its dependencies, those of the
// last result are assumed. A wrong guess costs a run, but not a result, since the result's dependencies are compared
// in any case.
func (r *run) restsOn(changed map[string]bool, rec *record) bool {
	var known map[string]ondisk.Hash
	switch {
	case r.inputs != nil:
		known = r.inputs.Files
	case rec.about != nil:
		known = rec.about.files
	}
	for path := range changed {
		if _, rests := known[path]; rests || path == r.proof.File {
			return true
		}
	}
	return false
}

// Classes of proofs, in the order of priority.
const (
	underCursor = iota
	askedFor
	visible
	failedLast
	others
)

// isEntry reports whether a proof's entry is in a file.
func (s *state) isEntry(r *record, path string) bool {
	disk := s.files.now.disk[r.proof.File]
	return path != "" && (path == r.proof.File || disk != nil && string(disk.real) == path)
}

// shown reports whether a proof's entry is visible or, if the client does not report visible files, open.
func (s *state) shown(r *record) bool {
	if s.focus.path == "" && len(s.focus.visible) == 0 {
		return s.files.now.buffer(r.proof.File) != nil
	}
	return s.isEntry(r, s.focus.path) ||
		slices.ContainsFunc(s.focus.visible, func(path string) bool { return s.isEntry(r, path) })
}

func (s *state) class(r *record) int {
	reads := func(path string) bool {
		if r.about == nil || path == "" {
			return false
		}
		_, rests := r.about.files[path]
		return rests
	}
	switch {
	case s.isEntry(r, s.focus.path) && s.nearest() == r:
		return underCursor
	case r.want == asked:
		return askedFor
	case s.shown(r) || reads(s.focus.path):
		return visible
	case r.result != nil && (r.result.Verdict == found.Failed || r.result.Verdict == found.Error ||
		r.result.Verdict == found.Vacuous):
		return failedLast
	}
	return others
}

// nearest returns the proof whose entry is the last before the cursor, else the first of the file.
func (s *state) nearest() *record {
	var best *record
	for _, r := range s.records { // by position
		if r.proof.File == s.focus.path && (best == nil || r.proof.Line <= s.focus.line) {
			best = r
		}
	}
	return best
}

// schedule starts the runs with the highest priority while workers are free.
func (s *state) schedule() {
	for _, r := range s.records {
		if s.opts.check == nil || !r.trusted {
			r.want = notWanted
		}
	}
	if s.opts.check == nil {
		return
	}
	type waiting struct {
		*record
		class int
	}
	var queue []waiting
	for _, r := range s.records {
		if r.run != nil && s.comesHome(r) {
			r.again()
			r.run.stop()
		}
		if r.want == notWanted {
			continue
		}
		if r.fresh() && !r.force && !r.lacks() && r.run == nil {
			r.want, r.coverage, r.explain, s.dirty = notWanted, false, false, true // it has become fresh meanwhile
			continue
		}
		if r.run != nil {
			if r.run.outdated || r.coverage && !r.run.coverage || r.explain && !r.run.explain {
				r.run.stop() // it starts again when the worker has ended
			} // otherwise its result shows whether another run is needed
			continue
		}
		queue = append(queue, waiting{r, s.class(r)})
	}
	if len(queue) == 0 {
		return
	}
	slices.SortFunc(queue, func(a, b waiting) int {
		return cmp.Or(cmp.Compare(a.class, b.class), -cmp.Compare(a.edited, b.edited), cmp.Compare(a.elapsed, b.elapsed),
			cmp.Compare(a.id, b.id))
	})
	for _, q := range queue {
		if q.class != underCursor && s.lead != nil {
			continue
		}
		if at, cluster := s.placeFor(q.record, q.class); at != nowhere {
			s.start(q.record, q.class, at, cluster)
		}
	}
}

// start starts a run of a proof at a place with room.
func (s *state) start(r *record, class int, at runPlace, cluster remote.Cluster) {
	ctx, cancel := context.WithCancel(context.Background())
	run := &run{cancel: cancel, began: time.Now(), proof: r.proof, key: r.key, view: s.files.view(), coverage: r.coverage,
		explain: r.explain, shown: map[string]bool{}, defined: map[string][]project.Unit{},
		place: at, cluster: cluster, wanted: r.want, forced: r.force}
	job := pipeline.Job{Settings: pipeline.Settings{Root: r.root, Solver: s.opts.Solver, CacheDir: s.opts.CacheDir,
		Remote: s.far(r).Cache, Cluster: cluster}, Proof: r.proof}
	if at == preparing {
		job.Left = func() { s.w.send(func() { s.put(run, away) }) }
	}
	job.Proof.Options.Coverage = job.Proof.Options.Coverage || r.coverage
	job.Proof.Options.Explain = r.explain
	if len(r.proof.SourceCandidates) > 0 {
		workspace := r.workspace
		job.Define = func(names []string) map[string][]project.Unit {
			answer := workspace.Definitions(&run.proof, names)
			run.mu.Lock()
			defer run.mu.Unlock()
			for _, name := range names {
				run.defined[name] = answer[name]
			}
			return answer
		}
	}
	job.Live = pipeline.Live{
		Virtual: run.view.virtual(),
		Inputs:  func(in *pipeline.Inputs) { s.w.send(func() { s.learn(r, run, in) }) },
		Found:   func(f diagnostics.Finding) { s.w.send(func() { s.found(r, run, f) }) },
	}
	if r.about != nil {
		for path, hash := range r.about.files {
			if hash != (ondisk.Hash{}) && !pipeline.InSystemFolder(path) {
				job.Expected = append(job.Expected, path)
			}
		}
	}
	r.run, r.want, r.force, r.coverage, r.explain, r.reason = run, notWanted, false, false, false, ""
	r.partial = nil
	if class == underCursor || class <= visible && s.runs[here] == 0 {
		s.lead = run
	}
	s.runs[at]++
	s.dirty = true
	s.running.Go(func() {
		defer cancel()
		result := s.opts.check(ctx, job)
		s.w.send(func() { s.finish(r, run, result) })
	})
}

// follow allows other runs to start if they waited for this one.
func (s *state) follow(run *run) {
	if s.lead == run {
		s.lead = nil
	}
}

// learn records the dependencies that a run reports before its result.
func (s *state) learn(r *record, run *run, in *pipeline.Inputs) {
	run.inputs = in
	s.follow(run)
	if r.run != run || run.outdated {
		return
	}
	s.files.track(maps.Keys(in.Files))
	for path, hash := range in.Files {
		run.outdated = run.outdated || s.files.now.hash(path) != hash
	}
}

func (s *state) found(r *record, run *run, f diagnostics.Finding) {
	if r.run != run || run.cancelled || run.shown[f.ID] {
		return
	}
	run.shown[f.ID] = true
	r.partial = append(slices.Clip(r.partial), f)
	s.dirty = true
}

// maxSpins is the number of consecutive runs of a proof whose files changed during the run without an event.
const maxSpins = 3

// finish stores the result of a run.
func (s *state) finish(r *record, run *run, result pipeline.Result) {
	s.follow(run)
	s.put(run, nowhere)
	s.done++
	s.dirty = true
	if r.run != run {
		return
	}
	if result.Lost != nil {
		s.lose(run, result.Lost)
		if !run.cancelled {
			r.here = true
			r.again()
		}
		r.run, r.partial = nil, nil
		return
	}
	r.run, r.partial = nil, nil
	if run.cancelled || s.byID[r.id] != r {
		return
	}
	r.elapsed, r.here = time.Since(run.began), false
	if run.cluster != (remote.Cluster{}) { // it may have waited on the cluster
		r.elapsed = time.Duration(result.Proof.Stats.TotalMS) * time.Millisecond
	}
	s.tellUnkept(result.Unkept)
	about := s.basisOf(r, run, run.inputs)
	if result.Proof.Verdict != found.Error {
		r.earlier, r.early = nil, nil
	} else if r.result != nil && r.result.Verdict != found.Error {
		r.earlier, r.early = r.result, r.about
	}
	r.result, r.about, r.covered, r.imported = &result.Proof, about, result.Covered, ""
	s.compare(r)
	s.keep(r, run, result)
	if s.arrived++; s.arrived%256 == 0 {
		s.forget()
	}
	if r.fresh() {
		r.spins, r.force = 0, false
		if !r.lacks() {
			r.want, r.coverage, r.explain = notWanted, false, false
		}
		return
	}
	// The files read may be newer than the last known state of the disk.
	var newer []string
	for path := range r.differs {
		s.events = append(s.events, path)
		if s.files.now.buffer(path) == nil {
			newer = append(newer, path)
		}
	}
	if r.mode == project.OnManual && !about.moving && len(newer) == 0 || r.mode == project.OnSave && s.unsavedOnly(r) {
		return
	}
	if !run.outdated {
		r.spins++
	}
	if r.spins > maxSpins {
		r.reason = fmt.Sprintf("%s changed while it was read, or differs from what the editor sent",
			filepath.Base(slices.Min(append(newer, r.proof.File))))
		return
	}
	r.want = max(r.want, due)
}

// tellUnkept tells the user, once, that results are not stored.
func (s *state) tellUnkept(why string) {
	if why != "" && why != s.unkept {
		s.unkept = why
		s.message = "results are not cached: " + why +
			". Proofs are still checked, but take their full time again later; free some space there, or choose another " +
			"folder for the cache."
	}
}

// unsavedOnly reports whether a result is stale only because of unsaved edits.
func (s *state) unsavedOnly(r *record) bool {
	if r.about.key != r.key || r.about.moving || r.undefined {
		return false
	}
	for path := range r.differs {
		if !s.unsaved(path) {
			return false
		}
	}
	for path := range r.redefining {
		if !s.unsaved(path) {
			return false
		}
	}
	return true
}

// unsaved reports whether an open document differs from its file.
func (s *state) unsaved(path string) bool {
	b := s.files.now.buffer(path)
	if b == nil {
		return false
	}
	if d := s.files.now.disk[path]; d != nil {
		return d.hash != b.hash
	}
	return s.files.read(path).hash != b.hash
}

// publish creates a snapshot if something has changed, and notifies the waiting callers.
func (s *state) publish() {
	if s.dirty {
		s.dirty = false
		s.version++
		snap := s.snapshot()
		s.w.current.Store(snap)
		pending := s.pending()
		u := Update{Snapshot: snap, Message: s.message, Files: s.written}
		s.message, s.written = "", nil
		if pending > 0 {
			u.Done, u.Total = s.done, s.done+pending
		} else {
			s.done = 0
		}
		s.w.post.put(u)
	}
	snap := s.w.Snapshot()
	for _, done := range s.applied {
		done <- snap
	}
	s.applied = nil
	if s.quiet == nil && s.pending() == 0 && s.idle() && len(s.events) == 0 {
		for _, done := range s.settled {
			done <- snap
		}
		s.settled = nil
	}
}

// pending returns the number of proofs that are queued or running.
func (s *state) pending() int {
	n := 0
	for _, r := range s.records {
		if r.phase() != Idle {
			n++
		}
	}
	return n
}

func (s *state) snapshot() *Snapshot {
	snap := &Snapshot{version: s.version, byID: make(map[ProofID]*ProofState, len(s.records)), problems: s.faults,
		untrusted: s.untrusted,
		view:      s.files.view(), moves: s.moves}
	for _, r := range s.records {
		p := s.stateOf(r)
		snap.proofs = append(snap.proofs, p)
		snap.byID[p.ID] = p
	}
	return snap
}

// stateOf returns the last state of a record, or a new one if something differs.
func (s *state) stateOf(r *record) *ProofState {
	p := ProofState{ID: r.id, Proof: r.proof, Root: r.root, Phase: r.phase(), Result: r.result, Earlier: r.earlier,
		Partial: r.partial,
		Fresh:   r.fresh(), Covered: r.covered, Elapsed: r.elapsed, Reason: r.reason, Trusted: r.trusted,
		Imported: r.imported, about: r.about, early: r.early}
	if r.about != nil {
		p.Rests = r.about.files
	}
	if p.Fresh || p.Phase != Idle {
		p.Reason = ""
	} else if p.Reason == "" {
		switch {
		case !r.trusted && s.opts.Allowed == nil:
			p.Reason = "the workspace is not trusted"
		case !r.trusted:
			p.Reason = fmt.Sprintf("%s is not trusted with what it asks for: `unitproof trust %s` allows it", r.root, r.root)
		case r.mode == project.OnManual:
			p.Reason = "verified on demand only"
		}
	}
	if old := r.state; old != nil && old.Proof.Line == p.Proof.Line && old.Proof.Column == p.Proof.Column &&
		r.listed == old.listed &&
		old.Phase == p.Phase && old.Result == p.Result && old.Earlier == p.Earlier && len(old.Partial) == len(p.Partial) &&
		old.Fresh == p.Fresh &&
		old.Elapsed == p.Elapsed && old.Reason == p.Reason && old.Trusted == p.Trusted {
		return old
	}
	p.listed = r.listed
	copied := p // most are unchanged, and need no allocation
	r.state = &copied
	return r.state
}

// lacks reports whether a result, though fresh, lacks requested coverage or explanations.
func (r *record) lacks() bool {
	return r.coverage && r.covered == nil || r.explain && (r.result == nil || !r.result.Explained())
}
