// Package cache stores results on disk from one run to the next, keyed by the content that they depend on.
//
// A Store has entries of several kinds, each under a Key:
//
//	key := NewHash("report").String(engine).Bytes(program).Key()
//	if data, ok := store.Get(Reports, key); !ok {
//		store.Put(Reports, key, check(program))
//	}
//
// The key is the hash of everything that the entry depends on, so an entry is never out of date, only unused. If an
// entry lists its inputs instead (manifests of clang, results for editors and other machines), its reader compares them
// with the files: clang/unitcache.go, editing/kept.go, pipeline/shared.go. A Store is safe under concurrent processes:
// an entry is a file with a checksum that appears as a whole. A corrupt, truncated or deleted entry is a miss; if the
// disk is full or not writable, nothing is stored (Store.Err returns the reason). The size is bounded: the least
// recently used entries are evicted first.
//
// Reading order: cache.go (entries), file.go (their format), trim.go (size, eviction), version.go (the contribution of
// this program to keys). The package does not depend on the meaning of its entries.
package cache

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"sync/atomic"
	"time"
)

// Kind is a kind of entries, with its own folder.
type Kind string

// Kinds of entries.
const (
	Units   Kind = "units"   // compiled files
	Modules Kind = "modules" // linked programs
	Reports Kind = "reports" // the engine's reports on linked programs
	Answers Kind = "answers" // the solver's answers to queries
	Results Kind = "results" // results of proofs, with all their dependencies
)

// Kinds lists all kinds.
var Kinds = []Kind{Units, Modules, Reports, Answers, Results}

// Key identifies an entry.
type Key [32]byte

// Hash computes a key.
type Hash struct{ h hash.Hash }

// NewHash returns a Hash for keys with a purpose; keys with different purposes differ.
func NewHash(purpose string) *Hash { return (&Hash{sha256.New()}).String(purpose) }

// String adds a string. The length is part of the hash, so the same bytes split differently yield another key.
func (h *Hash) String(s string) *Hash { return h.Bytes([]byte(s)) }

// Bytes adds bytes.
func (h *Hash) Bytes(b []byte) *Hash {
	var n [8]byte
	binary.LittleEndian.PutUint64(n[:], uint64(len(b)))
	h.h.Write(n[:])
	h.h.Write(b)
	return h
}

// Strings adds a list.
func (h *Hash) Strings(list []string) *Hash {
	h.Bytes(binary.LittleEndian.AppendUint64(nil, uint64(len(list))))
	for _, s := range list {
		h.String(s)
	}
	return h
}

// Key returns the key of all additions.
func (h *Hash) Key() Key { return Key(h.h.Sum(nil)) }

// DefaultLimit is the default size limit of a store, in bytes.
const DefaultLimit = 2 << 30

// Options are the options of a store.
type Options struct {
	ReadOnly bool   // store nothing
	Limit    int64  // bytes; 0 is DefaultLimit
	Remote   Remote // nil: none
}

// Remote is a store that machines share. It is queried for entries that are missing here, and receives the entries that
// are put here. Like this package, it validates its entries: Get returns an entry as it was put, or none.
type Remote interface {
	Get(kind string, key [32]byte) ([]byte, bool)
	Put(kind string, key [32]byte, data []byte) // data is not modified afterwards
	Writable() bool
	Flush(most time.Duration)
}

// Store is a folder of entries. A nil Store is empty and stores nothing. It is safe for concurrent use by goroutines.
type Store struct {
	dir  string
	opts Options

	refused error                   // other users can write to the folder: it is not used
	written atomic.Int64            // bytes since the last trim
	failure atomic.Pointer[failure] // of the last attempt to write; nil: success
}

// failure is the reason of a failed write.
type failure struct {
	err error
	at  time.Time
}

// retryTime is the time without writes after a failure: a full disk does not slow down runs, and is used again once it
// has space.
const retryTime = 30 * time.Second

// Open returns the store in a folder, which is created on the first write. It never fails: a folder that cannot be
// used, or that other users can write to, is an empty store.
func Open(dir string, opts Options) *Store {
	if dir == "" {
		return nil
	}
	if opts.Limit <= 0 {
		opts.Limit = DefaultLimit
	}
	s := &Store{dir: dir, opts: opts}
	s.refused = Refusal(dir)
	return s
}

// Get returns an entry as it was put, and false if there is none or it is damaged.
func (s *Store) Get(kind Kind, key Key) ([]byte, bool) {
	if s == nil || s.refused != nil {
		return nil, false
	}
	data, err := readEntry(s.path(kind, key), key, !s.opts.ReadOnly)
	if err == nil || s.opts.Remote == nil {
		return data, err == nil
	}
	data, ok := s.opts.Remote.Get(string(kind), key)
	if ok {
		s.keep(kind, key, data)
	}
	return data, ok
}

// Has reports whether this folder has a file for an entry, valid or not.
func (s *Store) Has(kind Kind, key Key) bool {
	if s == nil || s.refused != nil {
		return false
	}
	info, err := os.Lstat(s.path(kind, key))
	return err == nil && info.Mode().IsRegular()
}

// Put stores an entry if possible.
func (s *Store) Put(kind Kind, key Key, data []byte) {
	if s == nil || s.opts.ReadOnly || s.refused != nil {
		return
	}
	if s.opts.Remote != nil {
		s.opts.Remote.Put(string(kind), key, data)
	}
	s.keep(kind, key, data)
}

// Flush waits until all entries that were put are on the server, but not longer than most.
func (s *Store) Flush(most time.Duration) {
	if s != nil && s.opts.Remote != nil {
		s.opts.Remote.Flush(most)
	}
}

// keep writes an entry to the folder.
func (s *Store) keep(kind Kind, key Key, data []byte) {
	if !s.writable() {
		return
	}
	if err := writeEntry(s.path(kind, key), key, data); err != nil {
		s.failure.Store(&failure{err, time.Now()})
		return
	}
	s.failure.Store(nil)
	if s.written.Add(int64(len(data))) > s.opts.Limit/16 {
		s.written.Store(0)
		_ = trim(s.dir, s.opts.Limit)
	}
}

// Writable reports whether Put may store entries.
func (s *Store) Writable() bool {
	return s.writable() ||
		s != nil && !s.opts.ReadOnly && s.refused == nil && s.opts.Remote != nil && s.opts.Remote.Writable()
}

// writable reports whether the folder may be written.
func (s *Store) writable() bool {
	if s == nil || s.opts.ReadOnly || s.refused != nil {
		return false
	}
	f := s.failure.Load()
	return f == nil || time.Since(f.at) > retryTime
}

// Err returns the reason why entries are not stored at present although they should be: the folder and the system's
// error. It is nil if everything works.
func (s *Store) Err() error {
	if s == nil {
		return nil
	}
	if s.refused != nil {
		return s.refused
	}
	f := s.failure.Load()
	if f == nil {
		return nil
	}
	err := f.err
	var where *fs.PathError
	if errors.As(err, &where) {
		err = where.Err // the path of a single entry does not help the user
	}
	return fmt.Errorf("%s: %w", s.dir, err)
}
