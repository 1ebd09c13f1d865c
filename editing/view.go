package editing

import (
	"crypto/sha256"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/links"
	"github.com/unitproof/unitproof/pipeline/ondisk"
	"github.com/unitproof/unitproof/pipeline/regular"
)

// buffer is the text of an open document.
type buffer struct {
	text string
	hash ondisk.Hash
}

// diskFile is the state of a file on disk on which a result depends.
type diskFile struct {
	hash ondisk.Hash // zero if it does not exist
	real links.Real
	text *string // of user files, else nil
	// stamp is the file's stamp before it was read.
	stamp ondisk.Stamp
}

// view is the state of files in a snapshot: open documents over the disk. It is immutable.
type view struct {
	buffers map[string]*buffer // by path in the client's spelling
	byReal  map[links.Real]*buffer
	bases   map[string]bool      // base names of their paths, with and without links
	disk    map[string]*diskFile // by path; the dependencies of results
}

// buffer returns the open document of a file under any of its names, or nil.
func (v *view) buffer(path string) *buffer {
	if len(v.buffers) == 0 {
		return nil
	}
	if b := v.buffers[path]; b != nil {
		return b
	}
	if f := v.disk[path]; f != nil {
		return v.byReal[f.real]
	}
	// The base name of a link nearly always equals that of its file, and resolving ten thousand paths at each
	// keystroke is too slow. Dependencies of results are handled above.
	if !v.bases[filepath.Base(path)] {
		return nil
	}
	return v.byReal[links.Resolve(path)]
}

// hash returns the hash of a tracked file's content.
func (v *view) hash(path string) ondisk.Hash {
	if b := v.buffer(path); b != nil {
		return b.hash
	}
	if f := v.disk[path]; f != nil {
		return f.hash
	}
	return ondisk.Unreadable // unknown: equal to no content read
}

// text returns the content of a file, if it is cached.
func (v *view) text(path string) (string, bool) {
	if b := v.buffer(path); b != nil {
		return b.text, true
	}
	if f := v.disk[path]; f != nil && f.text != nil {
		return *f.text, true
	}
	return "", false
}

// virtual returns the buffers that differ from their files, as input for a job. A saved document adds nothing to a
// run. If its file changed without an event, the run reads another text than the document's; its hash shows that, and
// the run is repeated (see finish).
func (v *view) virtual() map[string][]byte {
	var out map[string][]byte
	for path, b := range v.buffers {
		if v.saved(path, b) {
			continue
		}
		if out == nil {
			out = map[string][]byte{}
		}
		out[path] = []byte(b.text)
	}
	return out
}

// saved reports whether a buffer equals the cached state of its file.
func (v *view) saved(path string, b *buffer) bool {
	d := v.disk[path]
	return d != nil && d.hash == b.hash
}

// files is the view under construction. It belongs to the Workspace's loop; the views that it returns are immutable.
type files struct {
	now     *view
	shared  struct{ all, buffers, disk bool } // parts of now that were returned
	links   *links.Memory                     // as of the last refresh
	aliases map[links.Real][]string           // tracked paths with links
	tracked int                               // number of files added
}

func newFiles() *files {
	return &files{
		now:   &view{buffers: map[string]*buffer{}, byReal: map[links.Real]*buffer{}, disk: map[string]*diskFile{}},
		links: new(links.Memory), aliases: map[links.Real][]string{},
	}
}

// maxText is the size limit of files whose text is stored, in bytes.
const maxText = 4 << 20

// view returns the current state.
func (f *files) view() *view {
	f.shared.all, f.shared.buffers, f.shared.disk = true, true, true
	return f.now
}

func (f *files) own() *view {
	if f.shared.all {
		next := *f.now
		f.now, f.shared.all = &next, false
	}
	return f.now
}

// changeBuffers and changeDisk return a view that may be changed; views returned before stay unchanged.
func (f *files) changeBuffers() *view {
	v := f.own()
	if f.shared.buffers {
		v.buffers, v.byReal = maps.Clone(v.buffers), maps.Clone(v.byReal)
		f.shared.buffers = false
	}
	return v
}

func (f *files) changeDisk() *view {
	v := f.own()
	if f.shared.disk {
		v.disk = maps.Clone(v.disk)
		f.shared.disk = false
	}
	return v
}

// setBuffer sets or, with nil, removes the text over a file. It reports whether the effective content of the file has
// changed, as far as that is known.
func (f *files) setBuffer(path string, text []byte) bool {
	before := f.now.buffers[path]
	if text == nil {
		if before == nil {
			return false
		}
		v := f.changeBuffers()
		delete(v.buffers, path)
		f.reindex()
		return true
	}
	hash := sha256.Sum256(text)
	if before != nil && before.hash == hash {
		return false
	}
	b := &buffer{string(text), hash}
	f.track(func(yield func(string) bool) { yield(path) }) // to determine whether it is saved
	v := f.changeBuffers()
	v.buffers[path] = b
	if before == nil {
		f.reindex()
	} else {
		v.byReal[f.links.Of(path)] = b
	}
	return true
}

func (f *files) reindex() {
	v := f.changeBuffers()
	clear(v.byReal)
	v.bases = map[string]bool{}
	for path, b := range v.buffers {
		real := f.links.Of(path)
		v.byReal[real] = b
		v.bases[filepath.Base(path)], v.bases[filepath.Base(string(real))] = true, true
	}
}

// track adds files on disk that are not tracked yet.
func (f *files) track(paths func(yield func(string) bool)) {
	var missing []string
	for path := range paths {
		if f.now.disk[path] == nil {
			missing = append(missing, path)
		}
	}
	if len(missing) == 0 {
		return
	}
	f.tracked += len(missing)
	v := f.changeDisk()
	for _, path := range missing {
		d := f.read(path)
		v.disk[path] = d
		if string(d.real) != path {
			f.aliases[d.real] = append(f.aliases[d.real], path)
		}
	}
}

// read reads a file on disk.
func (f *files) read(path string) *diskFile {
	stamp := ondisk.StampOf(path)
	d := &diskFile{real: f.links.Of(path), stamp: stamp}
	switch {
	case stamp.Missing:
		return d
	case stamp.IsDir():
		d.hash = ondisk.Folder
		return d
	}
	text, err := regular.Source(path)
	switch {
	case os.IsNotExist(err):
		return d
	case err != nil:
		d.hash = ondisk.Unreadable
		return d
	}
	d.hash = sha256.Sum256(text)
	if len(text) <= maxText && !pipeline.InSystemFolder(path) {
		content := string(text)
		d.text = &content
	}
	return d
}

// refresh reads tracked files again that may have changed: those at or below the paths, and above them if nothing was
// there. It returns the files whose content on disk has changed.
func (f *files) refresh(paths []string) (changed []string) {
	f.links = new(links.Memory)
	todo := map[string]bool{}
	add := func(path string) {
		if f.now.disk[path] != nil {
			todo[path] = true
		}
	}
	for _, path := range paths {
		add(path)
		for _, other := range f.aliases[f.links.Of(path)] {
			add(other)
		}
		for parent := filepath.Dir(path); len(parent) > 1; parent = filepath.Dir(parent) {
			if d := f.now.disk[parent]; d != nil && d.hash == (ondisk.Hash{}) {
				todo[parent] = true
			}
		}
		if stamp := ondisk.StampOf(path); stamp.IsDir() || stamp.Missing {
			prefix := path + string(filepath.Separator)
			for other, d := range f.now.disk {
				if strings.HasPrefix(other, prefix) || strings.HasPrefix(string(d.real), prefix) {
					todo[other] = true
				}
			}
		}
	}
	var fresh map[string]*diskFile
	for path := range todo {
		now, old := f.read(path), f.now.disk[path]
		if now.hash == old.hash && now.real == old.real && now.stamp == old.stamp {
			continue
		}
		if fresh == nil {
			fresh = map[string]*diskFile{}
		}
		fresh[path] = now
		if now.hash != old.hash || now.real != old.real {
			changed = append(changed, path)
		}
	}
	if fresh != nil {
		v := f.changeDisk()
		for path, d := range fresh {
			v.disk[path] = d
			if string(d.real) != path {
				f.aliases[d.real] = append(f.aliases[d.real], path)
			}
		}
		f.reindex()
	}
	return changed
}

// altered reports whether a tracked file's stamp has changed since it was read.
func (f *files) altered(path string) bool {
	d := f.now.disk[path]
	return d != nil && ondisk.StampOf(path) != d.stamp
}

// keep drops the files on disk that are not in wanted.
func (f *files) keep(wanted map[string]bool) {
	var gone []string
	for path := range f.now.disk {
		if !wanted[path] {
			gone = append(gone, path)
		}
	}
	if len(gone) == 0 {
		return
	}
	v := f.changeDisk()
	for _, path := range gone {
		delete(v.disk, path)
	}
	clear(f.aliases)
	for path, d := range v.disk {
		if string(d.real) != path {
			f.aliases[d.real] = append(f.aliases[d.real], path)
		}
	}
}
