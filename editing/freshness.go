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

// basis has all dependencies of a result. The result is fresh while they equal the current snapshot.
type basis struct {
	key   ondisk.Hash            // hash of settings, flags, toolchain
	files map[string]ondisk.Hash // contents as read; zero: the file did not exist
	texts map[string]*string     // texts of user files, for moving positions
	// asked are the names that the proof's files do not define, and answers the files that define them.
	asked   []string
	answers map[string][]project.Unit
	moving  bool // a file changed while it was read: never fresh
}

// namesOf returns the tracked paths of a file.
func (f *files) namesOf(path string) []string {
	real := f.links.Of(path)
	return append([]string{path, string(real)}, f.aliases[real]...)
}

// basisOf returns the dependencies of a run's result. in is nil if the run ended before it reported them.
func (s *state) basisOf(r *record, run *run, in *pipeline.Inputs) *basis {
	b := &basis{key: run.key, answers: run.answers()}
	if in != nil {
		b.files, b.asked, b.moving = in.Files, in.Asked, in.Moving
		s.files.track(maps.Keys(b.files))
	} else {
		// Assume the dependencies of the last result, or at least the named files.
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

// compare computes the differences between the dependencies of a record's result and the current files.
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

// redefine compares the complete set of files that define the names that the proof lacks.
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

// compareDefinitions is redefine for one changed file.
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

// isCandidate reports whether a file may define names that proofs lack.
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

// forget drops the files on which no result depends any more.
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
