package pipeline

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline/cache"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/pipeline/remote"
	"github.com/unitproof/unitproof/pipeline/solver"
	"github.com/unitproof/unitproof/vcgen"
)

// Results that machines share (Settings.Remote).
//
// A result is stored under the hash of the proof's name, its settings and the contents of the files that it names.
// Paths are relative to the root, so that the location of the folder does not matter. The entry has the last few
// results, each with its inputs; a result counts only if all its inputs are the same here (Rests.Fresh). So a proof
// that was checked on another machine costs one request and the reading of its files, and starts neither compiler nor
// worker.
//
// All other entries of the cache are shared unchanged, under the keys of the local store (cache.Options.Remote).
// Workers read them through this process. They serve proofs with partial changes, on machines with the same path of the
// folder.

// sharedEntry is an entry of the kind cache.Results for a check outside a Workspace.
type sharedEntry struct{ Variants []sharedResult }

type sharedResult struct {
	RestsOn *diagnostics.RestsOn
	Result  *wireResult
}

// maxVariants is the number of results that are kept per proof, for different contents of headers.
const maxVariants = 4

// sharing shares the results of the proofs of one root.
type sharing struct {
	client *remote.Client
	store  *cache.Store // the local one
	rests  *Rests

	mu      sync.Mutex
	ahead   map[cache.Key]*fetched // prefetched entries; the value taken marks entries that were used
	batches int                    // number of batches that prefetch
}

// fetched is the reply of the server for a key; data and ok are valid once done is closed.
type fetched struct {
	done chan struct{}
	data []byte
	ok   bool
}

// taken replaces an entry that its proof has used.
var taken = &fetched{}

// sharings are the sharings of a pool, one for each root and server.
type sharings struct {
	servers *servers

	mu    sync.Mutex
	known map[Settings]*sharing
}

// of returns the sharing for settings; nil if results are not shared.
func (s *sharings) of(set Settings) *sharing {
	if set.Remote.URL == "" || set.CacheDir == "" || set.Replay || set.Measure ||
		set.Solver != "" && set.Solver != solver.Default {
		return nil
	}
	client := s.servers.client(set.Remote)
	set.Cluster = remote.Cluster{} // results do not depend on the cluster
	s.mu.Lock()
	defer s.mu.Unlock()
	if known, ok := s.known[set]; ok {
		return known
	}
	var made *sharing
	if client != nil {
		made = &sharing{client, cache.Open(set.CacheDir, cache.Options{ReadOnly: set.CacheReadOnly}),
			NewRests(set.Root, set.Solver), sync.Mutex{}, map[cache.Key]*fetched{}, 0}
	}
	if s.known == nil {
		s.known = map[Settings]*sharing{}
	}
	s.known[set] = made
	return made
}

// flushTime bounds how long the end of a run waits for pending writes to the server.
const flushTime = 5 * time.Second

func (x *sharing) writable() bool { return x != nil && x.client.Writable() }

// key returns the key of a proof; false if the results of the job cannot be shared.
func (x *sharing) key(ctx context.Context, j *Job) (key cache.Key, ok bool) {
	p, o := &j.Proof, &j.Proof.Options
	if x == nil || x.rests.program == "" || o.Coverage || o.Explain || len(o.Disable) > 0 || j.replay != nil ||
		j.strength != nil ||
		len(j.Virtual) > 0 || !SearchKnown(p) {
		return key, false
	}
	settings, ok := x.rests.settings(ctx, p)
	h := cache.NewHash("shared 1").String(x.rests.program).String(settings).String(p.Name).String(fmt.Sprint(o.FullTrace))
	for _, u := range slices.Concat([]project.Unit{p.EntryUnit}, p.Sources, p.Overrides) {
		hash, _ := x.rests.hashes.Of(u.File)
		h.Bytes(hash[:])
	}
	return h.Key(), ok
}

// maxAhead is the number of entries to prefetch, so that no proof waits for the server; askers is the number of
// concurrent requests.
const (
	maxAhead = 512
	askers   = 16
)

// prefetch requests the entries of a batch's proofs in their order, until ctx ends. The caller must call begun for each
// proof that it begins.
func (x *sharing) prefetch(ctx context.Context, b *Batch) (begun func()) {
	if x == nil || len(b.Proofs) < 2 {
		return func() {}
	}
	x.mu.Lock()
	x.batches++
	x.mu.Unlock()
	context.AfterFunc(ctx, func() {
		x.mu.Lock()
		defer x.mu.Unlock()
		if x.batches--; x.batches == 0 {
			clear(x.ahead)
		}
	})
	proofs := make(chan *project.Proof)
	room := make(chan struct{}, maxAhead)
	go func() {
		defer close(proofs)
		for i := range b.Proofs {
			select {
			case room <- struct{}{}:
			case <-ctx.Done():
				return
			}
			select {
			case proofs <- &b.Proofs[i]:
			case <-ctx.Done():
				return
			}
		}
	}()
	for range askers {
		go func() {
			for p := range proofs {
				x.ask(ctx, &Job{Settings: b.Settings, Proof: *p, Define: b.define(p)})
			}
		}()
	}
	return func() {
		select {
		case <-room:
		default: // it began before it was requested
		}
	}
}

// ask requests the entry of one proof.
func (x *sharing) ask(ctx context.Context, j *Job) {
	key, ok := x.key(ctx, j)
	if !ok || ctx.Err() != nil || x.store.Has(cache.Results, key) {
		return
	}
	f := &fetched{done: make(chan struct{})}
	x.mu.Lock()
	unwanted := x.ahead[key] != nil || x.batches == 0
	if !unwanted {
		x.ahead[key] = f
	}
	x.mu.Unlock()
	if unwanted {
		return
	}
	f.data, f.ok = x.client.Get(string(cache.Results), key)
	close(f.done)
}

// get returns the server's entry, prefetched or not.
func (x *sharing) get(key cache.Key) ([]byte, bool) {
	x.mu.Lock()
	f := x.ahead[key]
	if x.batches > 0 {
		x.ahead[key] = taken
	}
	x.mu.Unlock()
	if f == nil || f == taken {
		return x.client.Get(string(cache.Results), key)
	}
	<-f.done
	return f.data, f.ok
}

// read returns the entry for a key and its serialized form, from the local store or, with far, from the server.
//
// If there is none, data is nil. memory is the memory limit of the proof in bytes. An entry of the server is dropped if
// any of its results is not one that this program can have written.
func (x *sharing) read(key cache.Key, far bool, memory int64) (e sharedEntry, data []byte) {
	var ok bool
	if far {
		data, ok = x.get(key)
	} else {
		data, ok = x.store.Get(cache.Results, key)
	}
	var text []byte
	if !ok || unpack(data, &text, memory) != nil || json.Unmarshal(text, &e) != nil {
		return sharedEntry{}, nil
	}
	if far && slices.ContainsFunc(e.Variants, func(v sharedResult) bool {
		return v.Result != nil && v.Result.Proof.Validate() != nil
	}) {
		return sharedEntry{}, nil
	}
	return e, data
}

func (e sharedEntry) pack() []byte {
	text, err := json.Marshal(e)
	if err == nil {
		text, err = pack(text)
	}
	if err != nil {
		return nil
	}
	return text
}

// fresh returns the first result of an entry whose inputs are unchanged; nil if there is none.
func (x *sharing) fresh(ctx context.Context, j *Job, e sharedEntry) *sharedResult {
	for i := range e.Variants {
		v := &e.Variants[i]
		if v.Result == nil || v.Result.Proof.Name != j.Proof.Name || v.Result.Proof.File != j.Root.Show(j.Proof.File) {
			continue
		}
		if x.rests.Fresh(ctx, &j.Proof, v.RestsOn, j.Define) == "" {
			return v
		}
	}
	return nil
}

// recall answers a job with a shared result.
func (x *sharing) recall(ctx context.Context, j *Job) (Result, bool) {
	began := time.Now()
	key, ok := x.key(ctx, j)
	if !ok {
		return Result{}, false
	}
	e, _ := x.read(key, false, j.Proof.MaxMemory)
	v := x.fresh(ctx, j, e)
	if v == nil {
		var packed []byte
		if e, packed = x.read(key, true, j.Proof.MaxMemory); packed != nil {
			v = x.fresh(ctx, j, e)
		}
		if v == nil || ctx.Err() != nil {
			return Result{}, false
		}
		x.store.Put(cache.Results, key, packed)
	}
	r := resultFromWire(v.Result)
	if !Settled(&r.Proof) || r.Proof.Entry != j.Proof.Entry {
		return Result{}, false
	}
	r.Proof.Options.Flags = j.Proof.EntryUnit.Flags // the flags of the other machine contain its paths
	for i := range r.Proof.Obligations {
		r.Proof.Obligations[i].Cached = true
	}
	s := &r.Proof.Stats
	s.CacheHits, s.SolverQueries, s.CompileMS, s.VCGenMS, s.SolveMS = s.CacheHits+s.SolverQueries, 0, 0, 0, 0
	s.TotalMS = time.Since(began).Milliseconds()
	r.Proof.RestsOn = v.RestsOn
	if j.Inputs != nil {
		j.Inputs(x.rests.inputs(v.RestsOn))
	}
	return r, true
}

// inputs returns the Inputs that a check on this machine would have reported for a result.
func (r *Rests) inputs(on *diagnostics.RestsOn) *Inputs {
	in := &Inputs{Files: map[string][sha256.Size]byte{}, Asked: on.Asked}
	for name := range on.Files {
		path := r.root.Find(name)
		in.Files[path], _ = r.hashes.Of(path)
		in.Moving = in.Moving || hexOf(in.Files[path]) != on.Files[name]
	}
	return in
}

// keep shares the result of a job.
func (x *sharing) keep(ctx context.Context, j *Job, r *Result, w *witness) {
	if !x.writable() || ctx.Err() != nil {
		return
	}
	key, ok := x.key(ctx, j)
	if !ok {
		return
	}
	on := x.rests.of(ctx, &j.Proof, &r.Proof, w)
	if on == nil {
		return
	}
	known, _ := x.read(key, false, j.Proof.MaxMemory)
	if x.fresh(ctx, j, known) != nil {
		return // the same result is stored already
	}
	if far, packed := x.read(key, true, j.Proof.MaxMemory); packed != nil {
		known = far
	}
	wire := resultToWire(*r)
	wire.Unkept, wire.Stages, wire.Replay, wire.Covered = "", nil, nil, nil
	known.Variants = append([]sharedResult{{on, wire}}, slices.DeleteFunc(known.Variants, func(v sharedResult) bool {
		return v.RestsOn == nil || v.Result == nil || sameRests(v.RestsOn, on)
	})...)
	known.Variants = known.Variants[:min(len(known.Variants), maxVariants)]
	if data := known.pack(); data != nil {
		x.store.Put(cache.Results, key, data)
		x.client.Put(string(cache.Results), key, data)
	}
}

func sameRests(a, b *diagnostics.RestsOn) bool {
	x, err := json.Marshal(a)
	y, err2 := json.Marshal(b)
	return err == nil && err2 == nil && string(x) == string(y)
}

// remoteStore returns the server for a store of this process; nil if there is none.
func remoteStore(s Settings) cache.Remote {
	if s.Remote.URL == "" {
		return nil
	}
	client, err := remote.Dial(s.Remote)
	if err != nil {
		return nil
	}
	return client
}

// checkedStore rejects reports of a server that this program cannot have written. Entries of other kinds are validated
// by the readers of compilers' and solvers' output.
type checkedStore struct{ cache.Remote }

// checked returns the server with checks of its reports; nil if far is nil.
func checked(far cache.Remote) cache.Remote {
	if far == nil {
		return nil
	}
	return checkedStore{far}
}

func (s checkedStore) Get(kind string, key [32]byte) ([]byte, bool) {
	data, ok := s.Remote.Get(kind, key)
	if ok && kind == string(cache.Reports) {
		stored := readReport(data, defaultMemory)
		ok = stored != nil && plausible(stored.Report)
	}
	return data, ok
}

// plausible reports whether a report can be grouped into findings that conform to the schema of results.
func plausible(report *vcgen.Report) (ok bool) {
	defer func() {
		if recover() != nil { // grouping relies on invariants of the engine
			ok = false
		}
	}()
	copied := *report
	copied.Instances, copied.Assumptions = slices.Clone(report.Instances), slices.Clone(report.Assumptions)
	p := diagnostics.Group(&copied, nil, diagnostics.ProofMeta{Options: diagnostics.OptionsOf(vcgen.Options{})})
	return p.Validate() == nil
}

// farStore is the server as seen by a worker: its parent makes the requests.
type farStore struct{ w *worker }

// wireEntry is an entry of the shared cache, or a request for one, without Data.
type wireEntry struct {
	Kind string
	Key  cache.Key
	Data []byte `json:",omitempty"`
	OK   bool   `json:",omitempty"` // the entry exists
}

func (f farStore) Get(kind string, key [32]byte) ([]byte, bool) {
	answer := f.w.ask(reply{Fetch: &wireEntry{Kind: kind, Key: key}})
	if answer == nil || answer.Entry == nil {
		return nil, false
	}
	return answer.Entry.Data, answer.Entry.OK
}

func (f farStore) Put(kind string, key [32]byte, data []byte) {
	if f.Writable() {
		f.w.tell(reply{Keep: &wireEntry{Kind: kind, Key: key, Data: data}})
	}
}

func (f farStore) Writable() bool { return f.w.settings.Remote.Write }

// Flush does nothing: the parent has all entries, and flushes them.
func (farStore) Flush(time.Duration) {}
