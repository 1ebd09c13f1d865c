// Package cache keeps results on disk from one run to the next, by the content that they follow from.
//
// A Store holds entries of several kinds, each under a Key: the hash of everything that the entry rests on, so nothing
// is ever out of date, only unused. It is safe under concurrent processes: an entry is a file that appears whole, with
// a checksum. What is corrupt, truncated or gone is a miss; a disk that is full or not writable means that nothing is
// kept (Store.Err says why). The size is bounded: what was not used for the longest time goes first.
//
// Reading order: cache.go (entries), file.go (how one is written down), trim.go (size, eviction), version.go (what the
// program itself contributes to a key). The package knows nothing of what it keeps.
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

// Kind is a sort of entries, with a folder of its own.
type Kind string

// Kinds of entries.
const (
	Units   Kind = "units"   // what clang made of a file
	Modules Kind = "modules" // linked programs
	Reports Kind = "reports" // what the engine said about a linked program
	Answers Kind = "answers" // what the solver said about questions
	Results Kind = "results" // what is known of a proof, with all that it rests on
)

// Kinds lists all kinds.
var Kinds = []Kind{Units, Modules, Reports, Answers, Results}

// Key names an entry.
type Key [32]byte

// Hash collects what a key rests on.
type Hash struct{ h hash.Hash }

// NewHash returns a Hash for keys with a purpose, which keeps them apart from others.
func NewHash(purpose string) *Hash { return (&Hash{sha256.New()}).String(purpose) }

// String adds a string. What was added can be told from the same bytes divided otherwise.
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

// Key returns the key of what was added.
func (h *Hash) Key() Key { return Key(h.h.Sum(nil)) }

// DefaultLimit is the size in bytes that a store may have, if nothing else is said.
const DefaultLimit = 2 << 30

// Options say how a store is used.
type Options struct {
	ReadOnly bool   // keep nothing
	Limit    int64  // bytes; 0 is DefaultLimit
	Remote   Remote // nil: none
}

// Remote is a store that machines share. It is asked for what is not here, and gets what is put here. An entry of it is
// what was put, or there is none: it checks that itself, as this package does for its files.
type Remote interface {
	Get(kind string, key [32]byte) ([]byte, bool)
	Put(kind string, key [32]byte, data []byte) // data does not change any more
	Writable() bool
	Flush(most time.Duration)
}

// Store is a folder of entries. A nil Store is empty and keeps nothing. It may be used by several goroutines.
type Store struct {
	dir  string
	opts Options

	refused error                   // others can write to the folder: nothing in it counts
	written atomic.Int64            // bytes since the last trim
	failure atomic.Pointer[failure] // of the last attempt to write; nil: it went well
}

// failure is why something could not be written.
type failure struct {
	err error
	at  time.Time
}

// retryTime is how long nothing is written after a failure: a full disk makes no run slower, and is used again when
// there is space.
const retryTime = 30 * time.Second

// Open returns the store in a folder, which is made when something is kept. It never fails: a folder that cannot be
// used holds nothing, and neither does one that others can write to.
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

// Get returns an entry as it was put; false when there is none, or when it is not what was put.
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

// Has tells whether there is a file for an entry here, whatever is in it.
func (s *Store) Has(kind Kind, key Key) bool {
	if s == nil || s.refused != nil {
		return false
	}
	info, err := os.Lstat(s.path(kind, key))
	return err == nil && info.Mode().IsRegular()
}

// Put keeps an entry, if it can.
func (s *Store) Put(kind Kind, key Key, data []byte) {
	if s == nil || s.opts.ReadOnly || s.refused != nil {
		return
	}
	if s.opts.Remote != nil {
		s.opts.Remote.Put(string(kind), key, data)
	}
	s.keep(kind, key, data)
}

// Flush waits until what was put is on the server, at most that long.
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

// Writable tells whether Put may keep something.
func (s *Store) Writable() bool {
	return s.writable() ||
		s != nil && !s.opts.ReadOnly && s.refused == nil && s.opts.Remote != nil && s.opts.Remote.Writable()
}

// writable tells it of the folder.
func (s *Store) writable() bool {
	if s == nil || s.opts.ReadOnly || s.refused != nil {
		return false
	}
	f := s.failure.Load()
	return f == nil || time.Since(f.at) > retryTime
}

// Err says why entries are not kept at present, although they should be: the folder, and what the system said. It is
// nil where all is well.
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
		err = where.Err // one of many files, which tells people nothing
	}
	return fmt.Errorf("%s: %w", s.dir, err)
}
