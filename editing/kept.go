package editing

import (
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/cache"
	"github.com/unitproof/unitproof/pipeline/clang"
	"github.com/unitproof/unitproof/pipeline/ondisk"
	"github.com/unitproof/unitproof/pipeline/solver"
)

// Results of a Workspace, kept for the next one on the same folder: with them it opens without a single worker. A kept
// result comes with all that it rests on, and is taken over only if it is fresh by the very comparison that decides it
// for results of this session (state.compare); a stale one is as good as none, since a run has the other kinds of
// entries.

// keptKey names the result of a record: the proof with its settings, the compiler (record.key), the program that is
// running, and what of the environment tells clang where headers are.
func (s *state) keptKey(r *record) (key cache.Key, ok bool) {
	engine, err := cache.Engine()
	if err != nil || s.opts.CacheDir == "" || s.opts.Solver != "" && s.opts.Solver != solver.Default ||
		r.proof.Options.Coverage {
		return key, false
	}
	if !pipeline.SearchKnown(&r.proof) {
		return key, false
	}
	h := cache.NewHash("result 1").String(engine).String(string(r.id)).Bytes(r.key[:])
	for _, name := range clang.SearchVariables() {
		h.String(os.Getenv(name))
	}
	return h.Key(), true
}

// keepable tells whether a result is the same whenever the proof is checked, as far as what it rests on is known:
// nothing in it comes of time, cancelling or a failure, no text was unsaved, nobody asked which files there are.
func (s *state) keepable(r *record, run *run) bool {
	if !pipeline.Settled(r.result) || run.inputs == nil || r.about.moving || !r.fresh() ||
		!pipeline.AnswersKnown(r.about.answers) {
		return false
	}
	for path, hash := range r.about.files {
		if b := run.view.buffer(path); b != nil && !run.view.saved(path, b) {
			return false
		}
		if hash == (ondisk.Hash{}) || pipeline.InSystemFolder(path) {
			continue
		}
		if hash != ondisk.Folder && (r.about.texts[path] == nil || strings.Contains(*r.about.texts[path], "__has_include")) {
			return false
		}
	}
	return true
}

// keep writes the result of a record down, on a goroutine of its own.
func (s *state) keep(r *record, run *run, result pipeline.Result) {
	if !s.keepable(r, run) {
		return
	}
	key, ok := s.keptKey(r)
	if !ok {
		return
	}
	result.Covered = nil
	entry := pipeline.Kept{Inputs: run.inputs, Answers: r.about.answers, Result: result, Elapsed: r.elapsed}
	store := s.store()
	s.running.Go(func() {
		if data, err := entry.Pack(); err == nil {
			store.Put(cache.Results, key, data)
		}
	})
}

// store is the cache folder of the present settings.
func (s *state) store() *cache.Store {
	if s.kept == nil || s.keptDir != s.opts.CacheDir {
		s.kept, s.keptDir = cache.Open(s.opts.CacheDir, cache.Options{}), s.opts.CacheDir
	}
	return s.kept
}

// recall takes over what an earlier session found out about records that are new, as far as it is fresh.
func (s *state) recall(records []*record) {
	records = slices.DeleteFunc(slices.Clone(records), func(r *record) bool { return !r.trusted })
	if len(records) == 0 {
		return
	}
	store := s.store()
	entries := make([]*pipeline.Kept, len(records))
	var wait sync.WaitGroup
	next := make(chan int)
	for range min(runtime.NumCPU(), len(records)) {
		wait.Go(func() {
			for i := range next {
				entries[i] = recallOne(store, s, records[i])
			}
		})
	}
	for i := range records {
		next <- i
	}
	close(next)
	wait.Wait()
	for i, r := range records {
		e := entries[i]
		if e == nil {
			continue
		}
		in, result := e.Inputs, e.Result
		if in.Moving || result.Proof.Name != r.proof.Name {
			continue
		}
		for j := range result.Proof.Obligations {
			result.Proof.Obligations[j].Cached = true
		}
		s.files.track(maps.Keys(in.Files))
		run := &run{proof: r.proof, key: r.key, view: s.files.view(), defined: e.Answers}
		r.about, r.result, r.elapsed, r.imported = s.basisOf(r, run, in), &result.Proof, e.Elapsed, ""
		s.compare(r)
		if !r.fresh() {
			r.about, r.result, r.elapsed, r.undefined = nil, nil, 0, false
			clear(r.differs)
			clear(r.redefining)
		}
	}
}

// recallOne reads an entry; nil: there is none.
func recallOne(store *cache.Store, s *state, r *record) *pipeline.Kept {
	key, ok := s.keptKey(r)
	if !ok {
		return nil
	}
	data, ok := store.Get(cache.Results, key)
	if !ok {
		return nil
	}
	return pipeline.ReadKept(data)
}
