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

// run is one check of a proof that is under way.
type run struct {
	cancel    context.CancelFunc
	cancelled bool
	began     time.Time
	proof     project.Proof
	key       ondisk.Hash
	view      *view // what it sees of documents
	coverage  bool
	explain   bool
	inputs    *pipeline.Inputs // nil: not told yet
	outdated  bool             // what it rests on has changed
	told      map[string]bool
	place     place
	cluster   remote.Cluster // that it is for; the zero value: none
	wanted    want           // as which it was begun, and whether even if it was fresh
	forced    bool

	mu      sync.Mutex
	defined map[string][]project.Unit
}

func (r *run) stop() {
	r.cancelled = true
	r.cancel()
}

// upToDate: what it has read is what there is. Until it has told, nobody knows.
func (r *run) upToDate() bool { return r != nil && !r.cancelled && !r.outdated && r.inputs != nil }

func (r *run) answers() map[string][]project.Unit {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.defined)
}

// restsOn tells whether the run reads a file that changed, as far as that is known yet: before it
// tells, what the last result rests on is the best guess. A wrong one costs a run, not a result:
// what comes back is compared with the present.
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

// The classes in which proofs are verified.
const (
	underCursor = iota
	askedFor
	visible
	failedLast
	others
)

// isEntry tells whether a proof's entry stands in a file.
func (s *state) isEntry(r *record, path string) bool {
	disk := s.files.now.disk[r.proof.File]
	return path != "" && (path == r.proof.File || disk != nil && string(disk.real) == path)
}

// shown tells whether the user has a proof's entry before the eyes, or, where clients do not say what they show, open.
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

// nearest is the proof whose entry starts last before the cursor, else the first of the file.
func (s *state) nearest() *record {
	var best *record
	for _, r := range s.records { // by place
		if r.proof.File == s.focus.path && (best == nil || r.proof.Line <= s.focus.line) {
			best = r
		}
	}
	return best
}

// schedule starts the runs that are wanted most while there are workers.
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
			r.want, r.coverage, r.explain, s.dirty = notWanted, false, false, true // it has become so meanwhile
			continue
		}
		if r.run != nil {
			if r.run.outdated || r.coverage && !r.run.coverage || r.explain && !r.run.explain {
				r.run.stop() // it starts again when the worker is gone
			} // else its end will show whether another one is needed
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

// start begins a run of a proof in one of the classes, at a place that there is.
func (s *state) start(r *record, class int, at place, cluster remote.Cluster) {
	ctx, cancel := context.WithCancel(context.Background())
	run := &run{cancel: cancel, began: time.Now(), proof: r.proof, key: r.key, view: s.files.view(), coverage: r.coverage,
		explain: r.explain, told: map[string]bool{}, defined: map[string][]project.Unit{},
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

// follow lets others start, if they waited for this run.
func (s *state) follow(run *run) {
	if s.lead == run {
		s.lead = nil
	}
}

// learn takes what a run read, before its result.
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
	if r.run != run || run.cancelled || run.told[f.ID] {
		return
	}
	run.told[f.ID] = true
	r.partial = append(slices.Clip(r.partial), f)
	s.dirty = true
}

// maxSpins bounds how often in a row a proof is verified because its files did not keep still, when
// nobody has told of a change.
const maxSpins = 3

// finish takes the result of a run.
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
	if run.cluster != (remote.Cluster{}) { // where it may have waited for long
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
	// What was read may be newer than what is known of the disk.
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
		r.reason = fmt.Sprintf("%s changes while it is read, or is not what it was said to be",
			filepath.Base(slices.Min(append(newer, r.proof.File))))
		return
	}
	r.want = max(r.want, due)
}

// tellUnkept tells people, once, that results are not kept.
func (s *state) tellUnkept(why string) {
	if why != "" && why != s.unkept {
		s.unkept = why
		s.message = "results are not kept: " + why +
			". Proofs go on, and take their full time again later; make room there, or choose another folder for the cache."
	}
}

// unsavedOnly tells whether a result is stale only because of what was typed and not saved.
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

// unsaved tells whether an open document differs from its file.
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

// publish makes a snapshot of what has changed, and tells those who wait.
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

// pending counts the proofs that are queued or running.
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

// stateOf is the last state of a record, or a new one where something is different.
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
	kept := p // most are as they were, and need no memory
	r.state = &kept
	return r.state
}

// lacks tells whether a result, though fresh, lacks what was asked for beside it.
func (r *record) lacks() bool {
	return r.coverage && r.covered == nil || r.explain && (r.result == nil || !r.result.Explained())
}
