package clang

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// unitCache finds what clang made of a unit before, without starting clang. The key names the unit,
// its flags and the compiler; what is stored under it holds only while every file that was read has
// the same content and none has appeared that would have been found before one of them. One entry is
// kept per key: the last.
//
// Whatever goes wrong here means compiling again, never an error.
type unitCache struct {
	c    *compilation
	file string // "" = no cache
	key  string
	dirs []string // folders that are searched for headers before the system's, absolute
}

type cacheEntry struct {
	Key    string
	Inputs []cacheInput
	// Folders and Present: a header `rel` of an input found in a folder is looked for in the other
	// folders, too; those where it was present and not taken are listed, elsewhere it must not appear.
	Folders []string
	Present []string
	Notes   []Note
	Text    string // hash of the assembly that follows the entry's line
}

type cacheInput struct{ Path, Hash string }

func (c *compilation) unitCache(u Unit, user, args []string) *unitCache {
	k := &unitCache{c: c}
	// An overlay of the user's hides what is read from us.
	if c.request.CacheDir == "" || slices.ContainsFunc(user, func(f string) bool { return strings.HasPrefix(f, "-ivfsoverlay") }) {
		return k
	}
	h := sha256.New()
	fmt.Fprintf(h, "unit 1\x00%s\x00%s\x00%s\x00%s\x00%q\x00%q", c.Clang, c.Version, u.File, u.Dir, user, args)
	for _, name := range []string{"CPATH", "C_INCLUDE_PATH", "SDKROOT"} {
		fmt.Fprintf(h, "\x00%s=%s", name, os.Getenv(name))
	}
	k.key = hex.EncodeToString(h.Sum(nil)[:16])
	k.file = filepath.Join(c.request.CacheDir, k.key[:2], k.key+".unit")
	for _, d := range includeDirs(user) {
		k.dirs = append(k.dirs, absolute(d, u.Dir))
	}
	return k
}

// load is the stored result if it still holds, or nil.
func (k *unitCache) load() *compiled {
	if k.file == "" {
		return nil
	}
	data, err := os.ReadFile(k.file)
	if err != nil {
		return nil
	}
	head, text, ok := bytes.Cut(data, []byte("\n"))
	var e cacheEntry
	if !ok || json.Unmarshal(head, &e) != nil || e.Key != k.key || hexHash(hashOf(text)) != e.Text {
		return nil
	}
	result := &compiled{text: text, notes: e.Notes}
	for _, in := range e.Inputs {
		if k.c.glance.hash(k, in.Path) != in.Hash {
			return nil
		}
		result.files = append(result.files, in.Path)
	}
	present := k.elsewhere(result.files, e.Folders)
	if !slices.Equal(present, e.Present) {
		return nil
	}
	return result
}

// store keeps a result, unless a file changed since the compilation began: what clang read is not
// known then.
func (k *unitCache) store(result *compiled, begin time.Time) {
	if k.file == "" {
		return
	}
	e := cacheEntry{Key: k.key, Notes: result.notes, Text: hexHash(hashOf(result.text)), Folders: slices.Clone(k.dirs)}
	for _, f := range result.files {
		hash, changed, err := k.hash(f)
		if err != nil || changed.After(begin.Add(-20*time.Millisecond)) {
			return
		}
		if !systemFile(f) {
			// What is asked of files that are not there leaves no trace.
			if text, err := k.c.read(f); err != nil || bytes.Contains(text, []byte("__has_include")) {
				return
			}
			e.Folders = append(e.Folders, filepath.Dir(f))
		}
		e.Inputs = append(e.Inputs, cacheInput{f, hexHash(hash)})
	}
	slices.Sort(e.Folders)
	e.Folders = slices.Compact(e.Folders)
	e.Present = k.elsewhere(result.files, e.Folders)
	head, err := json.Marshal(e)
	if err != nil {
		return
	}
	_ = writeAtomically(k.file, slices.Concat(head, []byte("\n"), result.text)) // only a cache
}

func hexHash(h contentHash) string { return hex.EncodeToString(h[:]) }

// hash is of the content that the compilation sees, with the time of its last change.
func (k *unitCache) hash(path string) (contentHash, time.Time, error) {
	if text, ok := k.c.overlay.text(path); ok {
		return hashOf(text), time.Time{}, nil
	}
	return k.c.hashes.of(path)
}

// systemFolders come after all others in the search for headers. A file that appears in one of them
// can only be a header that the system did not have.
var systemFolders = []string{"/usr/include/", "/usr/lib/", "/usr/local/include/", "/usr/local/lib/"}

func systemFile(path string) bool {
	return slices.ContainsFunc(systemFolders, func(d string) bool { return strings.HasPrefix(path, d) })
}

// elsewhere lists the files that exist in one of the folders under the name by which an input may
// have been included from another, inputs themselves left out. It asks for a subfolder only once.
func (k *unitCache) elsewhere(inputs, folders []string) []string {
	names := map[string]map[string]bool{} // subfolder -> names in it
	searched := slices.Concat(folders, systemSearch)
	for _, in := range inputs {
		for _, d := range searched {
			rel, ok := strings.CutPrefix(in, d+"/")
			if !ok {
				continue
			}
			sub, base := filepath.Split(rel)
			if names[sub] == nil {
				names[sub] = map[string]bool{}
			}
			names[sub][base] = true
		}
	}
	is := map[string]bool{}
	for _, in := range inputs {
		is[in] = true
	}
	var found []string
	for _, d := range folders {
		for sub, bases := range names {
			if sub != "" {
				if folder := d + "/" + sub; !k.c.glance.exists(folder) && !k.hasVirtual(filepath.Clean(folder)) {
					continue
				}
			}
			for base := range bases {
				path := d + "/" + sub + base
				if is[path] {
					continue
				}
				_, virtual := k.c.overlay.text(path)
				if virtual || k.c.glance.exists(path) {
					found = append(found, path)
				}
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// glance remembers, for the lookups of one Build, what the file system said: units share most of
// their headers. That is as if all had been looked up at one moment. What is stored after a compilation
// asks anew for contents, because a file may have changed since; a file that has appeared since only
// makes the next lookup fail.
type glance struct{ existing, hashes sync.Map }

func (g *glance) exists(path string) bool {
	if known, ok := g.existing.Load(path); ok {
		return known.(bool)
	}
	_, err := os.Stat(path)
	g.existing.Store(path, err == nil)
	return err == nil
}

// hash is "" for a file that cannot be read.
func (g *glance) hash(k *unitCache, path string) string {
	if known, ok := g.hashes.Load(path); ok {
		return known.(string)
	}
	text := ""
	if hash, _, err := k.hash(path); err == nil {
		text = hexHash(hash)
	}
	g.hashes.Store(path, text)
	return text
}

func (k *unitCache) hasVirtual(dir string) bool {
	for path := range k.c.overlay.texts {
		if strings.HasPrefix(path, RealPath(dir)+"/") {
			return true
		}
	}
	return false
}

// systemSearch are the folders by which system headers are named in #include.
var systemSearch = []string{"/usr/include", "/usr/local/include", "/usr/include/x86_64-linux-gnu", "/usr/include/aarch64-linux-gnu",
	"/usr/lib/llvm-14/lib/clang/14.0.6/include", "/usr/lib/clang/14.0.6/include", "/usr/lib/clang/14/include"}
