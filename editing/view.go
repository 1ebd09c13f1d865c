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

// diskFile is what is known of a file on disk that something rests on.
type diskFile struct {
	hash ondisk.Hash // zero: not there
	real links.Real
	text *string // of files of the user, else nil
	// stamp is what the file looked like before it was read.
	stamp ondisk.Stamp
}

// view is the state of files in a snapshot: buffers over the disk. It is immutable.
type view struct {
	buffers map[string]*buffer // by path as the client has it
	byReal  map[links.Real]*buffer
	bases   map[string]bool      // the last elements of their paths, with and without links
	disk    map[string]*diskFile // by path; those that results rest on
}

// buffer is the open document that stands for a file, under whatever name.
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
	// Links to files have the file's own name nearly always, and resolving ten thousand paths after
	// each key is too much. What results rest on is known above.
	if !v.bases[filepath.Base(path)] {
		return nil
	}
	return v.byReal[links.Resolve(path)]
}

// hash is that of the content of a file that something rests on.
func (v *view) hash(path string) ondisk.Hash {
	if b := v.buffer(path); b != nil {
		return b.hash
	}
	if f := v.disk[path]; f != nil {
		return f.hash
	}
	return ondisk.Unreadable // not known: equal to nothing that was read
}

// text is the content of a file, as far as it is known.
func (v *view) text(path string) (string, bool) {
	if b := v.buffer(path); b != nil {
		return b.text, true
	}
	if f := v.disk[path]; f != nil && f.text != nil {
		return *f.text, true
	}
	return "", false
}

// virtual are the buffers as a job takes them: those whose text is not that of the file. An open document that is saved
// costs a run nothing. Should the file have changed without an event, then the run reads another text than the
// document's, says so by its hash, and is repeated; see finish.
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

// saved tells whether a buffer has the text of its file, as far as that is known.
func (v *view) saved(path string, b *buffer) bool {
	d := v.disk[path]
	return d != nil && d.hash == b.hash
}

// files is the view under construction. It belongs to the Workspace's loop; what it hands out is a
// view that does not change any more.
type files struct {
	now     *view
	shared  struct{ all, buffers, disk bool } // parts of now that were handed out
	links   *links.Memory                     // as of the last refresh
	aliases map[links.Real][]string           // tracked paths with links
	tracked int                               // counts the files that were added
}

func newFiles() *files {
	return &files{
		now:   &view{buffers: map[string]*buffer{}, byReal: map[links.Real]*buffer{}, disk: map[string]*diskFile{}},
		links: new(links.Memory), aliases: map[links.Real][]string{},
	}
}

// maxText bounds the files, in bytes, whose text is kept.
const maxText = 4 << 20

// view is the present state.
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

// changeBuffers and changeDisk prepare for a change: what was handed out stays as it is.
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

// setBuffer lays a text over a file, or takes it away again (nil). It reports whether the content
// of the file is another one now, as far as that is known.
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
	f.track(func(yield func(string) bool) { yield(path) }) // to know whether it is saved
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

// track starts to know files on disk; those that are known are left.
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

// read looks at a file on disk.
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
		kept := string(text)
		d.text = &kept
	}
	return d
}

// refresh looks again at what may have changed at or below some paths, and above them where nothing
// was: the tracked files whose content on disk is another one now.
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

// altered tells whether a tracked file looks different from when it was read.
func (f *files) altered(path string) bool {
	d := f.now.disk[path]
	return d != nil && ondisk.StampOf(path) != d.stamp
}

// keep forgets the files on disk that nothing rests on.
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
