package pipeline

import (
	"bytes"
	"testing"
	"time"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline/cache"
	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/found"
)

// TestUnpackBounds checks that the decompressed size of an entry is bounded by its size and the memory of its proof.
func TestUnpackBounds(t *testing.T) {
	var got []byte
	for name, test := range map[string]struct {
		content []byte
		memory  int64
		ok      bool
	}{
		"as most are":         {bytes.Repeat([]byte("what the engine said of a program; "), 100_000), 4 << 30, true},
		"small":               {make([]byte, 1<<19), 1, true},
		"a bomb":              {make([]byte, 64<<20), 4 << 30, false},
		"more than memory":    {bytes.Repeat([]byte("0123456789abcdefghijklmnopqrstuvwxyz"), 1<<17), 64 << 20, false},
		"all that memory has": {bytes.Repeat([]byte("0123456789abcdefghijklmnopqrstuvwxyz"), 1<<17), 256 << 20, true},
	} {
		data, err := pack(test.content)
		if err != nil {
			t.Fatal(err)
		}
		if err := unpack(data, &got, test.memory); (err == nil) != test.ok {
			t.Errorf("%s: %d bytes of %d: %v", name, len(data), len(test.content), err)
		}
	}
}

// hostileReports are reports that the engine cannot produce.
func hostileReports() map[string]*vcgen.Report {
	instance := func(change func(*vcgen.Instance)) *vcgen.Report {
		in := vcgen.Instance{Kind: found.Assertion, Verdict: found.Failed, Pos: found.Pos{File: "a.c", Line: 1, Column: 1},
			Counterexample: &found.Counterexample{Trace: []found.Step{{Event: "assign", Text: "x = 1"}}}}
		change(&in)
		return &vcgen.Report{Entry: "main", EndReached: true, Instances: []vcgen.Instance{in}}
	}
	return map[string]*vcgen.Report{
		"an invented kind": instance(func(in *vcgen.Instance) { in.Kind = "\x1b[31mRED" }),
		"a negative depth": instance(func(in *vcgen.Instance) { in.Counterexample.Trace[0].Depth = -1 }),
		"a negative line":  instance(func(in *vcgen.Instance) { in.Pos.Line = -1 }),
		"an invented loop": {Entry: "main", EndReached: true, Loops: []found.Loop{{Name: "f#1", Method: "prayer"}}},
	}
}

// fakeServer is a shared cache with one entry.
type fakeServer struct{ data []byte }

func (s fakeServer) Get(string, [32]byte) ([]byte, bool) { return s.data, true }
func (fakeServer) Put(string, [32]byte, []byte)          {}
func (fakeServer) Writable() bool                        { return false }
func (fakeServer) Flush(time.Duration)                   {}

// TestHostileEntries checks that reports of a shared cache or a cluster are rejected if the engine cannot produce them.
func TestHostileEntries(t *testing.T) {
	get := func(report *vcgen.Report) bool {
		data, err := pack(keptReport{Report: report})
		if err != nil {
			t.Fatal(err)
		}
		store := cache.Open(t.TempDir(), cache.Options{Remote: checked(fakeServer{data})})
		_, ok := store.Get(cache.Reports, cache.Key{1})
		if ok != store.Has(cache.Reports, cache.Key{1}) {
			t.Error("what does not count is kept here, or what counts is not")
		}
		return ok
	}
	if !get(&vcgen.Report{Entry: "main", EndReached: true}) {
		t.Error("a report of the engine does not count")
	}
	for name, report := range hostileReports() {
		if get(report) {
			t.Errorf("a report with %s counts", name)
		}
	}
}

// TestHostileResults is TestHostileEntries for results of whole proofs.
func TestHostileResults(t *testing.T) {
	read := func(p diagnostics.Proof) bool {
		e := sharedEntry{Variants: []sharedResult{{Result: &wireResult{Proof: p}}}}
		f := &fetched{done: make(chan struct{}), data: e.pack(), ok: true}
		close(f.done)
		x := &sharing{ahead: map[cache.Key]*fetched{{}: f}}
		got, data := x.read(cache.Key{}, true, 4<<30)
		return len(got.Variants) == 1 && data != nil
	}
	meta := diagnostics.ProofMeta{Name: "a", Options: diagnostics.OptionsOf(vcgen.Options{})}
	if !read(diagnostics.Group(&vcgen.Report{Entry: "main", EndReached: true}, nil, meta)) {
		t.Error("a result of the engine does not count")
	}
	for name, report := range hostileReports() {
		if read(diagnostics.Group(report, nil, meta)) {
			t.Errorf("a result with %s counts", name)
		}
	}
}
