package pipeline

import (
	"bytes"
	"compress/flate"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/pipeline/cache"
	"github.com/unitproof/unitproof/pipeline/clang"
	"github.com/unitproof/unitproof/pipeline/clang/asm"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/pipeline/replay"
	"github.com/unitproof/unitproof/pipeline/solver"
	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/ask"
)

// CacheDir returns the default folder of the cache.
func CacheDir() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no folder for a cache: %w", err)
	}
	return filepath.Join(dir, "unitproof", "cache"), nil
}

// results are the results of earlier runs of the engine: reports by linked program, and the solver's answers by proof.
// The keys of both include the running program.
type results struct {
	store  *cache.Store
	engine string
	root   paths.Root
}

// newResults returns nil if nothing can be cached. A solver that was chosen by name is never answered from the cache:
// its version is unknown here, and the user probably compares solvers.
func newResults(s Settings, store *cache.Store) *results {
	if store == nil || s.Solver != "" && s.Solver != solver.Default {
		return nil
	}
	engine, err := cache.Engine()
	if err != nil {
		return nil
	}
	return &results{store: store, engine: engine, root: s.Root}
}

// reportKeys returns the keys of the reports on a linked program: by its shape, with lines to be translated, and by its
// exact text. If the shape is unknown, or lines are needed, both are the latter.
func (r *results) reportKeys(p *project.Proof, m *clang.Module) (keys reportKeys, ok bool) {
	o := engineOptions(p)
	options, err := json.Marshal(wireOptions{Options: o})
	if err != nil {
		return keys, false
	}
	h := func(kind string, program []byte) cache.Key {
		return cache.NewHash(kind).String(r.engine).String(p.Start()).Bytes(options).Bytes(program).Key()
	}
	keys.Exact = h("report", m.Text)
	keys.Shape = keys.Exact
	if shape, ok := asm.ShapeOf(m.Text); ok && !o.Coverage && !o.Explain && len(o.Without) == 0 {
		keys.Shape, keys.Lines = h("shape", shape.Sum[:]), shape.Lines
	}
	return keys, true
}

// reportKeys are the keys under which a report may be stored, see results.reportKeys.
type reportKeys struct {
	Exact, Shape cache.Key
	Lines        map[string][]int // of the program; nil: the shape is unknown
}

// keptReport is an entry of the kind cache.Reports.
type keptReport struct {
	Lines  map[string][]int // of the program that was checked
	Report *vcgen.Report
}

// report returns the stored report; nil if there is none. memory is the memory limit of the proof in bytes.
func (r *results) report(keys reportKeys, memory int64) *vcgen.Report {
	stored := r.keptReport(keys.Shape, memory)
	switch {
	case stored != nil && (keys.Lines == nil || carryLines(stored.Report, stored.Lines, keys.Lines)):
	case keys.Shape == keys.Exact:
		return nil
	default:
		if stored = r.keptReport(keys.Exact, memory); stored == nil {
			return nil
		}
	}
	// Queries of that run were not solved in this one.
	s := &stored.Report.Stats
	s.CacheHits, s.SolverQueries, s.SolverConflicts, s.Clauses = s.CacheHits+s.SolverQueries, 0, 0, 0
	return stored.Report
}

func (r *results) keptReport(key cache.Key, memory int64) *keptReport {
	data, ok := r.store.Get(cache.Reports, key)
	if !ok {
		return nil
	}
	return readReport(data, memory)
}

// readReport reads an entry of the kind cache.Reports; nil if data is not one.
func readReport(data []byte, memory int64) *keptReport {
	stored := &keptReport{}
	if unpack(data, stored, memory) != nil || stored.Report == nil {
		return nil
	}
	return stored
}

// keepReport stores a report if it is reproducible: no verdict depends on time, on cancellation or on a solver that
// failed.
func (r *results) keepReport(keys reportKeys, report *vcgen.Report) {
	if report.Stats.Unsettled > 0 || !r.store.Writable() {
		return
	}
	key := keys.Shape
	if keys.Lines != nil && !carriesLines(report, keys.Lines) {
		key = keys.Exact
	}
	if data, err := pack(keptReport{keys.Lines, report}); err == nil {
		r.store.Put(cache.Reports, key, data)
	}
}

// answersKey returns the key of the answers about a proof. They are grouped by proof because a run needs all of them at
// once; each is valid anywhere, since its own key is its query.
func (r *results) answersKey(p *project.Proof) cache.Key {
	return cache.NewHash("answers").String(r.engine).String(p.EntryUnit.File).String(p.Start()).String(p.Name).Key()
}

// answers loads the solver's answers about a proof.
func (r *results) answers(key cache.Key, memory int64) *ask.Memo {
	var stored keptAnswers
	if data, ok := r.store.Get(cache.Answers, key); ok {
		_ = unpack(data, &stored, memory) // unreadable answers are computed again
	}
	if stored.Engine != r.engine {
		return ask.NewMemo(nil)
	}
	return ask.NewMemo(stored.Segments)
}

// keptAnswers is an entry of the kind cache.Answers.
type keptAnswers struct {
	Engine   string
	Segments [][]byte // see ask.Memo
}

// keepAnswers stores the solver's answers.
func (r *results) keepAnswers(key cache.Key, memo *ask.Memo) {
	if !memo.Changed() || !r.store.Writable() {
		return
	}
	segments, err := memo.Segments()
	if err != nil {
		return
	}
	if data, err := pack(keptAnswers{r.engine, segments}); err == nil {
		r.store.Put(cache.Answers, key, data)
	}
}

// addAnswers adds the answers of a cluster to the stored ones.
func (r *results) addAnswers(key cache.Key, segments [][]byte, memory int64) {
	if len(segments) == 0 || !r.store.Writable() {
		return
	}
	var stored keptAnswers
	data, ok := r.store.Get(cache.Answers, key)
	if !ok || unpack(data, &stored, memory) != nil || stored.Engine != r.engine {
		stored = keptAnswers{Engine: r.engine}
	}
	stored.Segments = ask.JoinSegments(segments, stored.Segments)
	if data, err := pack(stored); err == nil {
		r.store.Put(cache.Answers, key, data)
	}
}

// compressors are reused writers: one has 1.2 MB of tables, more than most of its inputs.
var compressors = sync.Pool{New: func() any {
	w, err := flate.NewWriter(nil, flate.BestSpeed)
	if err != nil {
		panic(err) // the level is a constant
	}
	return w
}}

// pack serializes and compresses a value.
func pack(value any) ([]byte, error) {
	var out bytes.Buffer
	w := compressors.Get().(*flate.Writer)
	defer compressors.Put(w)
	w.Reset(&out)
	if err := gob.NewEncoder(w).Encode(value); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// Bounds of decompression: most entries shrink to a fifth, repetitive reports to a hundredth. Larger output is cut off
// and rejected.
const (
	maxRatio    = 400     // of the compressed size
	minUnpacked = 1 << 20 // bytes, allowed for every entry
	// unpackedShare is the share of a proof's memory for the bytes of an entry: the decoded value takes several times as
	// much.
	unpackedShare = 32
)

// unpack decodes the output of pack; memory is the memory limit of the proof in bytes.
func unpack(data []byte, value any, memory int64) error {
	most := min(maxRatio*int64(len(data)), memory/unpackedShare)
	r := io.LimitReader(flate.NewReader(bytes.NewReader(data)), max(most, minUnpacked))
	return gob.NewDecoder(r).Decode(value)
}

// defaultMemory is the bound for entries that belong to no proof.
const defaultMemory = 4 << 30

// CleanCache removes all entries and histories from a folder that is a cache. Other files remain.
func CleanCache(dir string) error {
	return errors.Join(cache.Clean(dir), replay.Clean(dir), cleanHistory(dir))
}
