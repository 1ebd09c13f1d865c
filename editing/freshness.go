package editing

import (
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/ondisk"
	"github.com/unitproof/unitproof/pipeline/project"
)

// basis is everything that a result rests on. A result is fresh while all of it equals what the
// present snapshot holds.
type basis struct {
	key   ondisk.Hash            // settings, flags, toolchain
	files map[string]ondisk.Hash // contents as they were read; zero: not there
	texts map[string]*string     // of files of the user, to follow places
	// asked are the names that were defined nowhere in the proof, and the files that were found to
	// define them.
	asked   []string
	answers map[string][]project.Unit
	moving  bool // a file changed while it was read: equal to nothing
}

// namesOf are the tracked paths by which a file is known.
func (f *files) namesOf(path string) []string {
	real := f.links.Of(path)
	return append([]string{path, string(real)}, f.aliases[real]...)
}

// basisOf puts together what a run's result rests on. in is nil where the run did not get to tell.
func (s *state) basisOf(r *record, run *run, in *pipeline.Inputs) *basis {
	b := &basis{key: run.key, answers: run.answers()}
	if in != nil {
		b.files, b.asked, b.moving = in.Files, in.Asked, in.Moving
		s.files.track(maps.Keys(b.files))
	} else {
		// It rests on what the last result did, or at least on the files that are named.
		b.files = map[string]ondisk.Hash{}
		paths := []string{run.proof.File, run.proof.EntryUnit.File}
		for _, u := range slices.Concat(run.proof.Sources, run.proof.Overrides) {
			paths = append(paths, u.File)
		}
		if r.about != nil {
			paths = slices.AppendSeq(paths, maps.Keys(r.about.files))
		}
		s.files.track(slices.Values(paths))
		for _, p := range paths {
			b.files[p] = s.files.now.hash(p)
			if run.view.disk[p] != nil || run.view.buffer(p) != nil {
				b.files[p] = run.view.hash(p)
			}
		}
	}
	b.texts = map[string]*string{}
	for path, hash := range b.files {
		if hash == (ondisk.Hash{}) || pipeline.InSystemFolder(path) {
			continue
		}
		for _, v := range []*view{s.files.now, run.view} {
			if buf := v.buffer(path); buf != nil && buf.hash == hash {
				b.texts[path] = &buf.text
			} else if d := v.disk[path]; d != nil && d.hash == hash && d.text != nil {
				b.texts[path] = d.text
			}
		}
	}
	return b
}

// compare finds out what differs between a record's result and the present.
func (s *state) compare(r *record) {
	clear(r.differs)
	if r.about == nil {
		return
	}
	s.files.track(maps.Keys(r.about.files))
	for path, hash := range r.about.files {
		if s.files.now.hash(path) != hash {
			r.differs[path] = true
		}
	}
	s.redefine(r)
}

// redefine compares, as a whole, which files define what the proof misses.
func (s *state) redefine(r *record) {
	clear(r.redefining)
	before := r.undefined
	r.undefined = false
	if r.about != nil && len(r.about.asked) > 0 {
		now := r.workspace.Definitions(&r.proof, r.about.asked)
		r.undefined = !sameAnswers(now, r.about.answers)
	}
	s.dirty = s.dirty || before != r.undefined
}

func sameAnswers(a, b map[string][]project.Unit) bool {
	drop := func(m map[string][]project.Unit) map[string][]project.Unit {
		m = maps.Clone(m)
		maps.DeleteFunc(m, func(_ string, units []project.Unit) bool { return len(units) == 0 })
		return m
	}
	a, b = drop(a), drop(b)
	return len(a) == 0 && len(b) == 0 || reflect.DeepEqual(a, b)
}

// compareDefinitions does so for one file that changed.
func (s *state) compareDefinitions(r *record, path string) {
	if r.about == nil || len(r.about.asked) == 0 || !strings.EqualFold(filepath.Ext(path), ".c") {
		return
	}
	at := slices.IndexFunc(r.proof.SourceCandidates, func(u project.Unit) bool { return u.File == path })
	if at < 0 || path == r.proof.File {
		return
	}
	defines := r.workspace.Defines(path)
	differs := false
	for _, name := range r.about.asked {
		_, now := slices.BinarySearch(defines, name)
		then := slices.ContainsFunc(r.about.answers[name], func(u project.Unit) bool { return u.File == path })
		differs = differs || now != then
	}
	if differs {
		r.redefining[path] = true
	} else {
		delete(r.redefining, path)
	}
	s.dirty = true
}

// isCandidate tells whether a file may define what proofs miss.
func (s *state) isCandidate(path string) bool {
	seen := map[*project.Unit]bool{}
	for _, r := range s.records {
		if list := r.proof.SourceCandidates; len(list) > 0 && !seen[&list[0]] {
			seen[&list[0]] = true
			if slices.ContainsFunc(list, func(u project.Unit) bool { return u.File == path }) {
				return true
			}
		}
	}
	return false
}

// forget drops the files that nothing rests on any more.
func (s *state) forget() {
	wanted := map[string]bool{}
	for path := range s.files.now.buffers {
		wanted[path] = true
	}
	for _, r := range slices.AppendSeq(slices.Clone(s.records), maps.Values(s.dormant)) {
		for _, b := range []*basis{r.about, r.early} {
			if b != nil {
				for path := range b.files {
					wanted[path] = true
				}
			}
		}
		if r.run != nil && r.run.inputs != nil {
			for path := range r.run.inputs.Files {
				wanted[path] = true
			}
		}
	}
	s.files.keep(wanted)
}
