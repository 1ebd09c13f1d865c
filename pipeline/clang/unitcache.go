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

	"github.com/unitproof/unitproof/pipeline/cache"
)

// unitCache finds what clang made of a unit before, without starting clang. The key names the unit,
// its flags and the compiler; what is stored under it are manifests, each of which holds only while every
// file that was read has the same content and none has appeared that would have been found before one of
// them (so a hit costs reading the files, not preprocessing them; the idea is that of ccache's direct mode).
// The last few are kept, for those who undo an edit or change between branches. The assembly is under its hash.
//
// Whatever goes wrong here means compiling again, never an error.
type unitCache struct {
	c      *compilation
	usable bool
	key    cache.Key
	dirs   []string // folders that are searched for headers before the system's, absolute
}

// maxManifests is how many states of the files of a unit are remembered.
const maxManifests = 6

// manifest says what a unit was compiled from.
type manifest struct {
	Inputs []cacheInput
	// Folders and Present: a header `rel` of an input found in a folder is looked for in the other
	// folders, too; those where it was present and not taken are listed, elsewhere it must not appear.
	Folders []string
	Present []string
	Notes   []Note
	Text    [32]byte // hash of the assembly
}

type cacheInput struct{ Path, Hash string }

func (c *compilation) unitCache(u Unit, user, args []string) *unitCache {
	k := &unitCache{c: c}
	// An overlay of the user's hides what is read from us.
	if c.request.Store == nil || slices.ContainsFunc(user, func(f string) bool { return strings.HasPrefix(f, "-ivfsoverlay") }) {
		return k
	}
	h := sha256.New()
	fmt.Fprintf(h, "unit 2\x00%s\x00%s\x00%s\x00%s\x00%q\x00%q", c.Clang, c.Version, u.File, u.Dir, user, args)
	for _, name := range []string{"CPATH", "C_INCLUDE_PATH", "SDKROOT"} {
		fmt.Fprintf(h, "\x00%s=%s", name, os.Getenv(name))
	}
	k.key, k.usable = cache.Key(h.Sum(nil)), true
	for _, d := range includeDirs(user) {
		k.dirs = append(k.dirs, absolute(d, u.Dir))
	}
	return k
}

// load is the stored result if one still holds, or nil. Its text is still in the store.
func (k *unitCache) load() *compiled {
	for _, m := range k.manifests() {
		if result := k.holds(m); result != nil {
			return result
		}
	}
	return nil
}

func (k *unitCache) manifests() (list []manifest) {
	if !k.usable {
		return nil
	}
	data, ok := k.c.request.Store.Get(cache.Units, k.key)
	if !ok || json.Unmarshal(data, &list) != nil {
		return nil
	}
	return list
}

// holds makes a result of a manifest, if all is as it was then.
func (k *unitCache) holds(m manifest) *compiled {
	result := &compiled{sum: m.Text, notes: m.Notes}
	for _, in := range m.Inputs {
		if k.c.glance.hash(k, in.Path) != in.Hash {
			return nil
		}
		result.files = append(result.files, in.Path)
	}
	if !slices.Equal(k.elsewhere(result.files, m.Folders), m.Present) {
		return nil
	}
	return result
}

// store keeps a result, unless a file changed since the compilation began: what clang read is not
// known then.
func (k *unitCache) store(result *compiled, begin time.Time) {
	if !k.usable || !k.c.request.Store.Writable() {
		return
	}
	e := manifest{Notes: result.notes, Text: result.sum, Folders: slices.Clone(k.dirs)}
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
	list := append([]manifest{e}, k.manifests()...)
	data, err := json.Marshal(list[:min(len(list), maxManifests)])
	if err != nil {
		return
	}
	k.c.request.Store.Put(cache.Units, textKey(result.sum), result.text)
	k.c.request.Store.Put(cache.Units, k.key, data)
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
