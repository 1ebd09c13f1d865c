// Package trust stores the requests that the user has allowed for a folder. A request covers compilers, flags, paths,
// remote caches and clusters, and limits of a proof's cost; a new compiler or flag needs a new permission. For example
//
//	[compile]
//	clang = "./tools/clang"    # Request{Root: "/home/u/project", Clangs: ["./tools/clang"]}
//
// needs Store.Allow before the first check. Principal types: Request (request.go), Store (trust.go).
package trust

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/unitproof/unitproof/pipeline/regular"
)

// Store is the folder of allowed requests: a Request in JSON for each root, named by the root's hash.
type Store struct{ Dir string }

// maxRequest bounds a stored request, in bytes.
const maxRequest = 64 << 20

// User returns the store of the user who runs this program.
func User() (Store, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return Store{}, fmt.Errorf("the folder of the list of trusted folders: %w", err)
	}
	return Store{filepath.Join(dir, "unitproof", "trust")}, nil
}

func (s Store) path(root string) string {
	sum := sha256.Sum256([]byte(root))
	return filepath.Join(s.Dir, hex.EncodeToString(sum[:16])+".json")
}

// read returns the allowed request for a root; empty if it cannot be read.
func (s Store) read(root string) Request {
	var r Request
	text, err := regular.ReadFile(s.path(root), maxRequest)
	if s.Dir == "" || err != nil || json.Unmarshal(text, &r) != nil || r.Root != root {
		return Request{Root: root}
	}
	return r
}

// Allowed reports whether everything in a request is allowed for its root.
func (s Store) Allowed(r Request) bool {
	known := s.read(r.Root)
	return contains(known.Clangs, r.Clangs) && contains(known.Flags, r.Flags) && contains(known.Outside, r.Outside) &&
		contains(known.Remotes, r.Remotes) && contains(known.Clusters, r.Clusters) && contains(known.Costs, r.Costs)
}

// contains reports whether a sorted list contains all words of another.
func contains(list, words []string) bool {
	for _, w := range words {
		if _, ok := slices.BinarySearch(list, w); !ok {
			return false
		}
	}
	return true
}

// Allow allows a request, in addition to earlier ones.
func (s Store) Allow(r Request) error {
	known := s.read(r.Root)
	known.Clangs, known.Flags = union(known.Clangs, r.Clangs), union(known.Flags, r.Flags)
	known.Outside, known.Remotes = union(known.Outside, r.Outside), union(known.Remotes, r.Remotes)
	known.Clusters, known.Costs = union(known.Clusters, r.Clusters), union(known.Costs, r.Costs)
	text, err := json.Marshal(known)
	if err == nil {
		err = os.MkdirAll(s.Dir, 0o700)
	}
	if err != nil {
		return fmt.Errorf("the list of trusted folders: %w", err)
	}
	f, err := os.CreateTemp(s.Dir, "new-*")
	if err != nil {
		return fmt.Errorf("the list of trusted folders: %w", err)
	}
	_, err = f.Write(text)
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), s.path(r.Root))
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return fmt.Errorf("the list of trusted folders: %w", err)
	}
	return nil
}

func union(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// Revoke removes the allowed request of a root, and returns whether there was one.
func (s Store) Revoke(root string) (bool, error) {
	err := os.Remove(s.path(root))
	if os.IsNotExist(err) {
		return false, nil
	}
	return err == nil, err
}

// Offer reports whether the import of a folder's kit is to be offered to the user for the first time, and records it.
func (s Store) Offer(root string) bool {
	path := s.path(root) + ".offered"
	if _, err := os.Stat(path); err == nil || os.MkdirAll(s.Dir, 0o700) != nil {
		return false // if it cannot be recorded, it would be offered every time
	}
	return os.WriteFile(path, nil, 0o600) == nil
}

// List returns the roots with allowed requests.
func (s Store) List() ([]string, error) {
	entries, err := os.ReadDir(s.Dir)
	if os.IsNotExist(err) {
		return nil, nil
	}
	var roots []string
	for _, e := range entries {
		var r Request
		path := filepath.Join(s.Dir, e.Name())
		text, err := regular.ReadFile(path, maxRequest)
		if err == nil && json.Unmarshal(text, &r) == nil && s.path(r.Root) == path {
			roots = append(roots, r.Root)
		}
	}
	return roots, err
}
