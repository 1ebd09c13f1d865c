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

// Results that machines share (Settings.Remote). One is kept under the proof's name, its settings and the contents of
// the files that it names, without the root, so that it is found wherever the folder lies; the entry holds what each of
// the last few results rests on, and one counts only while all of that is the same here (Rests.Fresh). So what somebody
// else has checked costs one request and the reading of files, and starts neither compiler nor worker.
//
// Whatever else the cache keeps is shared as it is, under the keys of the local store (cache.Options.Remote), for the
// workers, which ask this process for it: that serves what has changed in part, on machines where the folder lies in
// the same place.

// sharedEntry is an entry of the kind cache.Results that belongs to no Workspace.
type sharedEntry struct{ Variants []sharedResult }

type sharedResult struct {
	RestsOn *diagnostics.RestsOn
	Result  *wireResult
}

// maxVariants is how many results of a proof are remembered, for headers that differ.
const maxVariants = 4

// sharing is what is shared of the proofs of one root.
type sharing struct {
	client *remote.Client
	store  *cache.Store // the local one
	rests  *Rests

	mu      sync.Mutex
	ahead   map[cache.Key]*fetched // what was asked for before its proof was due, or taken
	batches int                    // for which that is done
}

// fetched is what the server has under a key.
type fetched struct {
	done chan struct{}
	data []byte
	ok   bool
}

// taken is in the place of what its proof has.
var taken = &fetched{}

// sharings are those of a pool, one for each root and server.
type sharings struct {
	servers *servers

	mu    sync.Mutex
	known map[Settings]*sharing
}

// of is nil where nothing is shared.
func (s *sharings) of(set Settings) *sharing {
	if set.Remote.URL == "" || set.CacheDir == "" || set.Replay || set.Measure ||
		set.Solver != "" && set.Solver != solver.Default {
		return nil
	}
	client := s.servers.client(set.Remote)
	set.Cluster = remote.Cluster{} // whoever does it
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

// flushTime is how long the end of a run waits for what it still has to put on the server.
const flushTime = 5 * time.Second

func (x *sharing) writable() bool { return x != nil && x.client.Writable() }

// key names what is known of a proof; false where that is not all there is to know of it, or is not to be used.
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

// maxAhead is how many entries are asked for before their proofs are due, so that no proof waits for the way to the
// server; askers is how many are asked for at a time.
const (
	maxAhead = 512
	askers   = 16
)

// prefetch asks the server for what the proofs of a batch will ask for, in their order, until ctx ends. begun is to be
// called for each proof that is begun.
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
		default: // it was begun before anybody could ask
		}
	}
}

// ask asks for what one proof will ask for.
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

// get gives what the server has, which may have been asked already.
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

// read gives what is known under a key, here or, where asked for, on the server, and as it was put; nil: nothing.
// memory is what the proof may take, in bytes. Of what the server has, only results count that this program can have
// written.
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

// fresh is the result that holds now; nil: none.
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

// recall answers a job from what is shared.
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
	r.Proof.Options.Flags = j.Proof.EntryUnit.Flags // those of the other machine have its paths
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

// inputs is what a result rests on as the one who would have checked it here had told it.
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
		return // and so it was put
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

// remoteStore is the server that a store asks in this process; nil: none.
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

// checkedStore is a server of which only reports count that this program can have written. What else it has is read
// by the readers of compilers' and solvers' output.
type checkedStore struct{ cache.Remote }

// checked returns the server, nil for none.
func checked(far cache.Remote) cache.Remote {
	if far == nil {
		return nil
	}
	return checkedStore{far}
}

func (s checkedStore) Get(kind string, key [32]byte) ([]byte, bool) {
	data, ok := s.Remote.Get(kind, key)
	if ok && kind == string(cache.Reports) {
		kept := readReport(data, defaultMemory)
		ok = kept != nil && plausible(kept.Report)
	}
	return data, ok
}

// plausible reports whether findings can be made of a report, by the schema of results.
func plausible(report *vcgen.Report) (ok bool) {
	defer func() {
		if recover() != nil { // grouping relies on what the engine keeps to
			ok = false
		}
	}()
	copied := *report
	copied.Instances, copied.Assumptions = slices.Clone(report.Instances), slices.Clone(report.Assumptions)
	p := diagnostics.Group(&copied, nil, diagnostics.ProofMeta{Options: diagnostics.OptionsOf(vcgen.Options{})})
	return p.Validate() == nil
}

// farStore is that server as a worker sees it: its parent asks and tells.
type farStore struct{ w *worker }

// wireEntry is an entry of a store that machines share, without Data where one is asked for.
type wireEntry struct {
	Kind string
	Key  cache.Key
	Data []byte `json:",omitempty"`
	OK   bool   `json:",omitempty"` // it is there
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

// Flush has nothing to do: the parent has it all, and waits.
func (farStore) Flush(time.Duration) {}
