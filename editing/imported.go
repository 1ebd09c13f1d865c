package editing

import (
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/ondisk"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/pipeline/regular"
	"github.com/unitproof/unitproof/pipeline/watch"
)

// Results of other runs (check --results) are reused if all their dependencies have the same values here. After that
// they are like the Workspace's own: an edit makes them stale, and undoing it makes them fresh again.

// maxImported is the size limit of a file of results, in bytes.
const maxImported = 1 << 30

// imports has the results of other runs.
type imports struct {
	files     []string // absolute
	stamps    map[string]ondisk.Stamp
	proofs    map[string]*importedProof // by name of the proof
	watch     *watch.Watcher            // of the folders of files; nil if there are none
	rests     map[paths.Root]*pipeline.Rests
	lastError string // last error that was shown
	look      bool   // something changed
}

// importedProof is the result of a proof in a file of results.
type importedProof struct {
	file  string // the file of results
	proof *diagnostics.Proof
}

// setResults replaces the files of results.
func (s *state) setResults(files []string) {
	im := &s.imports
	im.files = slices.Clone(files)
	im.stamps, im.look, im.rests = nil, true, nil
	var dirs []string
	for _, f := range files {
		dirs = append(dirs, filepath.Dir(f))
	}
	if im.watch == nil && len(dirs) > 0 {
		im.watch = watch.New(s.w.FilesChanged)
	}
	if im.watch != nil {
		im.watch.Set(nil, slices.Compact(slices.Sorted(slices.Values(dirs))))
	}
}

// read reads all files of results again if one of them has changed, and reports whether that was so.
func (im *imports) read() (changed bool, err error) {
	stamps := map[string]ondisk.Stamp{}
	for _, f := range im.files {
		stamps[f] = ondisk.StampOf(f)
	}
	if im.stamps != nil && maps.Equal(stamps, im.stamps) {
		return false, nil
	}
	im.stamps, im.proofs = stamps, map[string]*importedProof{}
	for _, f := range im.files {
		if stamps[f].Missing {
			continue // it may appear later
		}
		text, e := regular.ReadFile(f, maxImported)
		var doc diagnostics.Document
		if e == nil {
			doc, e = diagnostics.ReadDocument(text)
		}
		if e != nil {
			err = fmt.Errorf("%s: %w", f, e)
			continue
		}
		for i := range doc.Proofs {
			if p := &doc.Proofs[i]; p.RestsOn != nil {
				im.proofs[p.Name] = &importedProof{f, p}
			}
		}
	}
	return true, err
}

// importResults imports results of other runs for the proofs that are not fresh.
func (s *state) importResults() {
	im := &s.imports
	im.look = false
	if len(im.files) == 0 {
		im.proofs = nil
		return
	}
	_, err := im.read()
	if err != nil && im.lastError != err.Error() {
		im.lastError = err.Error()
		s.message, s.dirty = "results of other runs cannot be used: "+im.lastError, true
	}
	for _, r := range s.records {
		if x := im.proofs[r.proof.Name]; x != nil && r.trusted && r.run == nil && !r.fresh() &&
			r.root.Show(r.proof.File) == x.proof.File {
			s.take(r, x)
		}
	}
}

// take imports the result of another run into a record if all its dependencies match.
func (s *state) take(r *record, x *importedProof) {
	on := x.proof.RestsOn
	in := &pipeline.Inputs{Files: make(map[string]ondisk.Hash, len(on.Files)), Asked: on.Asked}
	for name, text := range on.Files {
		hash, ok := hashOf(text)
		if !ok {
			return
		}
		in.Files[r.root.Find(name)] = hash
	}
	s.files.track(maps.Keys(in.Files))
	for path, hash := range in.Files {
		if s.files.now.hash(path) != hash {
			return
		}
	}
	rests := s.restsOf(r.root)
	run := &run{proof: r.proof, key: r.key, view: s.files.view()}
	if len(on.Asked) > 0 {
		run.defined = r.workspace.Definitions(&r.proof, on.Asked)
	}
	define := func([]string) map[string][]project.Unit { return run.defined }
	if rests.FreshBesideFiles(context.Background(), &r.proof, on, define) != "" {
		return
	}
	result := *x.proof
	result.Obligations = slices.Clone(result.Obligations)
	for j := range result.Obligations {
		result.Obligations[j].Cached = true
	}
	r.about, r.result = s.basisOf(r, run, in), &result
	r.earlier, r.early, r.covered, r.partial = nil, nil, nil, nil
	r.elapsed = time.Duration(result.Stats.TotalMS) * time.Millisecond
	r.imported = x.file
	if r.want < asked {
		r.want = notWanted
	}
	r.reason, s.dirty = "", true
	s.compare(r)
}

// restsOf returns the comparer of dependencies for a root.
func (s *state) restsOf(root paths.Root) *pipeline.Rests {
	if s.imports.rests == nil {
		s.imports.rests = map[paths.Root]*pipeline.Rests{}
	}
	if s.imports.rests[root] == nil {
		s.imports.rests[root] = pipeline.NewRests(root, s.opts.Solver)
	}
	return s.imports.rests[root]
}

// hashOf parses a hash in hexadecimal; "" is the zero hash.
func hashOf(text string) (hash ondisk.Hash, ok bool) {
	if text == "" {
		return hash, true
	}
	n, err := hex.Decode(hash[:], []byte(strings.ToLower(text[:min(len(text), 2*len(hash))])))
	return hash, err == nil && n == len(hash) && len(text) == 2*len(hash)
}

// isImport reports whether a path is one of the files of results.
func (s *state) isImport(path string) bool { return slices.Contains(s.imports.files, path) }
