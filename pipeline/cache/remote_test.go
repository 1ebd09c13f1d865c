package cache

import (
	"bytes"
	"sync"
	"testing"
	"time"
)

// shelf is a Remote in memory.
type shelf struct {
	mu      sync.Mutex
	entries map[string][]byte
	write   bool
	asked   int
	flushed bool
}

func (s *shelf) Get(kind string, key [32]byte) ([]byte, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	data, ok := s.entries[kind+string(key[:])]
	return data, ok
}

func (s *shelf) Put(kind string, key [32]byte, data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.write {
		s.entries[kind+string(key[:])] = data
	}
}

func (s *shelf) Writable() bool      { return s.write }
func (s *shelf) Flush(time.Duration) { s.flushed = true }

// TestRemote checks that a missing entry is requested once and stored. An entry that is put here is sent to the server,
// except by a read-only store.
func TestRemote(t *testing.T) {
	far := &shelf{entries: map[string][]byte{}, write: true}
	here := Open(t.TempDir(), Options{Remote: far})
	key := NewHash("test").String("a").Key()
	here.Put(Units, key, []byte("text"))
	here.Flush(time.Minute)
	if len(far.entries) != 1 || !far.flushed {
		t.Fatalf("%d entries", len(far.entries))
	}
	dir := t.TempDir()
	other := Open(dir, Options{Remote: far})
	for range 3 {
		if data, ok := other.Get(Units, key); !ok || !bytes.Equal(data, []byte("text")) {
			t.Fatalf("%t %q", ok, data)
		}
	}
	if !other.Has(Units, key) || other.Has(Reports, key) || far.asked != 1 {
		t.Errorf("asked %d times", far.asked)
	}
	if data, ok := Open(dir, Options{}).Get(Units, key); !ok || string(data) != "text" {
		t.Error("it was not kept")
	}
	reader := Open(t.TempDir(), Options{ReadOnly: true, Remote: far})
	reader.Put(Reports, key, []byte("x"))
	if _, ok := reader.Get(Units, key); !ok || len(far.entries) != 1 || reader.Writable() {
		t.Error("read only: ", ok, len(far.entries), reader.Writable())
	}
	// A folder that is not writable stores nothing, but the Remote receives the entry.
	broken := Open("/proc/none", Options{Remote: far})
	broken.Put(Reports, key, []byte("x"))
	if len(far.entries) != 2 || !broken.Writable() || broken.Err() == nil {
		t.Error("broken: ", len(far.entries), broken.Writable(), broken.Err())
	}
	far.write = false
	if broken.Writable() {
		t.Error("there is nowhere to write to")
	}
}
