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

// Results are stored for the next session in the same folder, which can then open without starting a worker. A stored
// result includes its dependencies. It is reused only if it is fresh by the same comparison as results of this
// session (state.compare); a stale one is not needed, as runs have other kinds of cache entries.

// keptKey returns the key of a record's result: the proof with its settings, the compiler (record.key), the running
// program, and the environment variables that affect clang's search for headers.
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

// keepable reports whether every check of the proof with the same dependencies has the same result: it was not
// affected by time, cancellation or failures, no text was unsaved, and no code tests for the existence of files.
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

// keep stores the result of a record, on another goroutine.
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

// store returns the cache folder of the current settings.
func (s *state) store() *cache.Store {
	if s.opened == nil || s.openedDir != s.opts.CacheDir {
		s.opened, s.openedDir = cache.Open(s.opts.CacheDir, cache.Options{}), s.opts.CacheDir
	}
	return s.opened
}

// recall restores the fresh results of earlier sessions for new records.
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

// recallOne reads the stored result of a record, or returns nil.
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
