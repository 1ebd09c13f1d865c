package clang

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/unitproof/unitproof/pipeline/cache"
	"github.com/unitproof/unitproof/pipeline/links"
)

// unitCache finds cached results of units without starting clang. The key contains the unit, its flags, the compiler,
// and this program, which rewrites the input and output of clang. The values are manifests. A manifest is valid while
// every file that was read has the same content, and no file has appeared that would have been found before one of
// them. So a hit costs reading the files, not preprocessing them (the idea of ccache's direct mode). Unused macros of
// the command line are in neither key nor manifest (macros.go). The last few manifests are kept, for undone edits and
// changes of the branch. The assembly is stored under its hash.
//
// Every failure here leads to a compilation, never to an error.
type unitCache struct {
	c      *compilation
	usable bool
	key    cache.Key
	// macros has the flags about macros that may be unasked; defined has the definitions of all macros on the command
	// line.
	macros  []string
	defined []byte
	dirs    []string // folders that are searched before the system's, absolute; see searched
}

// maxManifests limits the manifests of a unit with the same used macros, maxAll those with any macros.
const (
	maxManifests = 6
	maxAll       = 40
)

func (c *compilation) unitCache(u Unit, user, args, dropped []string) *unitCache {
	k := &unitCache{c: c}
	if c.request.Store == nil || hidesSearch(user) || precompiled(user, u.Dir) {
		return k
	}
	engine, err := cache.Engine()
	if err != nil {
		return k
	}
	others, macros := withoutMacros(user)
	k.macros, k.defined = macros, definitions(user)
	k.key, k.usable = c.unitKey(engine, u, others, args, dropped), true
	k.dirs = searched(user, u.Dir)
	return k
}

// unitKey returns the key of a unit compiled by a program (cache.Engine) with flags of the user and our arguments. The
// dropped flags are in the key since the entry has the notes about them.
func (c *compilation) unitKey(engine string, u Unit, user, args, dropped []string) cache.Key {
	h := sha256.New()
	fmt.Fprintf(h, "unit 7\x00%s\x00%s\x00%s\x00%s\x00%s\x00%q\x00%q\x00%q", engine, c.Clang, c.Version, u.File, u.Dir,
		user, args, dropped)
	for _, name := range SearchVariables() {
		fmt.Fprintf(h, "\x00%s=%s", name, os.Getenv(name))
	}
	return cache.Key(h.Sum(nil))
}

// load returns the stored result that is still valid, or nil. Its text stays in the store.
func (k *unitCache) load() *compiled {
	encoded, at := k.encoded(), -1
	for m := range manifests(encoded) {
		at++
		result := k.holds(&m)
		if result == nil {
			continue
		}
		same, unasked := k.sameMacros(&m)
		if !same {
			continue
		}
		if len(unasked) > 0 && k.c.request.Store.Writable() { // next time no file is read to find them
			list := slices.Collect(manifests(encoded))
			list[at].unasked = append(list[at].unasked, unasked...)
			k.keep(list)
		}
		return result
	}
	return nil
}

// encoded returns the encoded manifests, the latest first.
func (k *unitCache) encoded() string {
	if !k.usable {
		return ""
	}
	data, _ := k.c.request.Store.Get(cache.Units, k.key)
	return string(data)
}

// keep stores manifests, and reports whether they could be encoded.
func (k *unitCache) keep(list []manifest) bool {
	data, err := encodeManifests(list)
	if err == nil {
		k.c.request.Store.Put(cache.Units, k.key, data)
	}
	return err == nil
}

// holds returns the result of a manifest if its inputs are unchanged.
func (k *unitCache) holds(m *manifest) *compiled {
	result := &compiled{sum: m.text, library: m.library, notes: m.notes}
	for _, in := range m.inputs {
		if k.c.glance.hash(k, in.path) != in.hash {
			return nil
		}
		result.files = append(result.files, in.path)
	}
	if !k.nothingAppeared(m) {
		if present, _, _ := k.elsewhere(result.files, m.folders, m.names); !slices.Equal(present, m.present) {
			return nil
		}
	}
	return result
}

// store stores a result, unless a file changed since the compilation began: it is unknown which content clang read.
func (k *unitCache) store(result *compiled, begin time.Time) {
	if !k.usable || !k.c.request.Store.Writable() {
		return
	}
	e := manifest{library: result.library, notes: result.notes, text: result.sum, folders: slices.Clone(k.dirs)}
	names := map[string]bool{}
	for _, f := range result.files {
		hash, changed, err := k.hash(f)
		if err != nil || changed.After(begin.Add(-20*time.Millisecond)) {
			return
		}
		if !systemFile(f) {
			// A test for a missing file leaves no trace in the list of files.
			text, err := k.c.read(f)
			if err != nil || bytes.Contains(text, []byte("__has_include")) {
				return
			}
			for _, name := range k.c.included.of(text) {
				if !filepath.IsAbs(name) {
					names[name] = true
				}
			}
			e.folders = append(e.folders, filepath.Dir(f))
		}
		e.inputs = append(e.inputs, cacheInput{f, hexHash(hash)})
	}
	slices.Sort(e.folders)
	e.folders = slices.Compact(e.folders)
	// The states are read before the files: a file that appears in between changes a state.
	e.names = slices.Sorted(maps.Keys(names))
	_, looked, unsure := k.elsewhere(result.files, e.folders, e.names)
	for _, folder := range looked {
		state := folderState(folder)
		if state == "" || unsure {
			e.looked = nil
			break
		}
		e.looked = append(e.looked, folderLook{folder, state})
	}
	k.c.glance.forget(looked)
	e.present, _, _ = k.elsewhere(result.files, e.folders, e.names)
	e.macros = k.macros
	if names := namesOf(k.macros); len(names) > 0 {
		if up, known := k.comeUp(names, e.inputs); known {
			e.macros = flagsAbout(k.macros, up)
			e.unasked = slices.DeleteFunc(names, func(name string) bool { return slices.Contains(up, name) || k.speaksOf(name) })
		}
	}
	if !e.fits() {
		return
	}
	list, same := []manifest{e}, 1
	for m := range manifests(k.encoded()) {
		if slices.Equal(m.macros, e.macros) {
			if same++; same > maxManifests {
				continue
			}
		}
		if list = append(list, m); len(list) == maxAll {
			break
		}
	}
	k.c.request.Store.Put(cache.Units, textKey(result.sum), result.text)
	k.keep(list)
}

// precompiled reports whether clang takes a precompiled form of a header that the command line includes. clang does not
// list the inputs of such a form.
func precompiled(user []string, dir string) bool {
	return slices.ContainsFunc(user, func(f string) bool {
		header, included := strings.CutPrefix(f, "-include")
		if !included {
			return false
		}
		return slices.ContainsFunc([]string{".pch", ".gch"}, func(suffix string) bool {
			_, err := os.Stat(absolute(header, dir) + suffix)
			return err == nil
		})
	})
}

func hexHash(h contentHash) string { return hex.EncodeToString(h[:]) }

// hash returns the hash of the content that the compilation sees, and the time of its last change.
func (k *unitCache) hash(path string) (contentHash, time.Time, error) {
	if text, ok := k.c.overlay.text(path); ok {
		return hashOf(text), time.Time{}, nil
	}
	return k.c.hashes.of(path)
}

// systemFolders come last in the search for headers. A file that appears in one of them can only be a header that the
// system did not have.
var systemFolders = []string{"/usr/include/", "/usr/lib/", "/usr/local/include/", "/usr/local/lib/"}

func systemFile(path string) bool {
	return slices.ContainsFunc(systemFolders, func(d string) bool { return strings.HasPrefix(path, d) }) ||
		CrossHeader(path)
}

// elsewhere lists files in some folders under names by which an input was, or may have been, included from another
// folder. Inputs themselves are left out. It also lists the folders that it searched; each subfolder is tested only
// once. unsure reports whether one of them has a link to a missing file: a file may appear there without a change of
// the folder.
func (k *unitCache) elsewhere(inputs, folders, included []string) (found, looked []string, unsure bool) {
	names := map[string]map[string]bool{} // subfolder -> names in it
	name := func(rel string) {
		sub, base := filepath.Split(rel)
		if names[sub] == nil {
			names[sub] = map[string]bool{}
		}
		names[sub][base] = true
	}
	for _, rel := range included {
		name(rel)
	}
	everywhere := slices.Concat(folders, systemSearch)
	for _, in := range inputs {
		for _, d := range everywhere {
			if rel, ok := strings.CutPrefix(in, d+"/"); ok {
				name(rel)
			}
		}
	}
	is := map[string]bool{}
	for _, in := range inputs {
		is[in] = true
	}
	for _, d := range folders {
		for sub, bases := range names {
			looked = append(looked, d+"/"+sub)
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
				switch {
				case virtual || k.c.glance.header(path):
					found = append(found, path)
				case k.c.glance.what(path) == aBrokenLink:
					unsure = true
				}
			}
		}
	}
	slices.Sort(found)
	slices.Sort(looked)
	return slices.Compact(found), slices.Compact(looked), unsure
}

// glance caches the answers of the file system for the lookups of one Build, since units share most headers. The effect
// is the same as looking up everything at one moment. Storing after a compilation reads contents again, because a file
// may have changed in the meantime; a file that has appeared in the meantime only makes the next lookup fail.
type glance struct{ existing, hashes, folders sync.Map }

// exists reports whether there is a file or a folder.
func (g *glance) exists(path string) bool { is := g.what(path); return is == aFile || is == aFolder }

// header reports whether clang would open a path as a header: it skips folders with that name.
func (g *glance) header(path string) bool { return g.what(path) == aFile }

const (
	aFile = 1 + iota
	aFolder
	aBrokenLink
)

func (g *glance) what(path string) int {
	if known, ok := g.existing.Load(path); ok {
		return known.(int)
	}
	is := 0
	info, err := os.Lstat(path)
	if err == nil && info.Mode()&os.ModeSymlink != 0 {
		is = aBrokenLink
		info, err = os.Stat(path)
	}
	if err == nil {
		is = aFile
		if info.IsDir() {
			is = aFolder
		}
	}
	g.existing.Store(path, is)
	return is
}

// folder returns the state of a folder.
func (g *glance) folder(path string) string {
	if known, ok := g.folders.Load(path); ok {
		return known.(string)
	}
	state := folderState(path)
	g.folders.Store(path, state)
	return state
}

// forget drops the cached answers about the content of folders.
func (g *glance) forget(folders []string) {
	in := map[string]bool{}
	for _, f := range folders {
		in[filepath.Clean(f)] = true
	}
	g.existing.Range(func(path, _ any) bool {
		if clean := filepath.Clean(path.(string)); in[clean] || in[filepath.Dir(clean)] {
			g.existing.Delete(path)
		}
		return true
	})
}

// hash returns the hash of a file, or "" if the file cannot be read.
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
		if strings.HasPrefix(string(path), string(links.Resolve(dir))+"/") {
			return true
		}
	}
	return false
}

// systemSearch are the folders by which system headers are named in #include.
var systemSearch = []string{"/usr/include", "/usr/local/include", "/usr/include/x86_64-linux-gnu",
	"/usr/include/aarch64-linux-gnu",
	"/usr/lib/llvm-14/lib/clang/14.0.6/include", "/usr/lib/clang/14.0.6/include", "/usr/lib/clang/14/include"}
