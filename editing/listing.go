package editing

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/clang"
	"github.com/unitproof/unitproof/pipeline/links"
	"github.com/unitproof/unitproof/pipeline/ondisk"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/pipeline/trust"
)

// settingFiles are the files that determine how proofs are compiled and checked.
var settingFiles = map[string]bool{project.ConfigName: true, "compile_commands.json": true, "compile_flags.txt": true}

// isSetting reports whether a file is one of settingFiles, a response file that they name, or the mark of a folder
// without proofs.
func (s *state) isSetting(path string) bool {
	name := filepath.Base(path)
	return settingFiles[name] || paths.IsMark(name) || s.responses[path]
}

// matters reports whether the text of a file can change the set of proofs.
func (s *state) matters(path string) bool {
	return s.isSetting(path) || project.HoldsText(path)
}

// mayList reports whether an event can add or remove proofs or change their settings. It also drops cached data about
// the file.
func (s *state) mayList(path string) bool {
	now := ondisk.StampOf(path)
	before, known := s.stamps.Load(path)
	s.stamps.Delete(path)
	if s.matters(path) {
		if s.memory.Lists(path) == now.Missing || s.isSetting(path) {
			s.memory.ForgetFolders()
			s.moved = true
		}
		// Without a dependent result it is unknown whether the text has changed; listing costs little.
		return !known || before.(ondisk.Stamp) != now
	}
	if now.IsDir() || now.Missing && filepath.Ext(path) == "" {
		prefix := path + string(filepath.Separator)
		s.stamps.Range(func(p, _ any) bool {
			if strings.HasPrefix(p.(string), prefix) {
				s.stamps.Delete(p)
			}
			return true
		})
		s.memory.ForgetFolders()
		s.moved = true
		return true
	}
	return false
}

// readFile reads a file for listing. It is used on several goroutines.
func (s *state) readFile(path string) ([]byte, error) {
	if b := s.view.Load().buffer(path); b != nil {
		return []byte(b.text), nil
	}
	return project.ReadFile(path)
}

// stamp returns the stamp of a file for readFile. Without an event it is not updated.
func (s *state) stamp(path string) any {
	if b := s.view.Load().buffer(path); b != nil {
		return b.hash
	}
	if known, ok := s.stamps.Load(path); ok {
		return known
	}
	stamp := ondisk.StampOf(path)
	s.stamps.Store(path, stamp)
	if stamp.Missing || stamp.Failed {
		return nil
	}
	return stamp
}

// listed has the proofs of one folder.
type listed struct {
	workspace *project.Workspace
	proofs    []project.Proof
	problems  []project.Problem
	configs   []string
}

// list finds the proofs of all folders again.
func (s *state) list() {
	s.relist = false
	var lists []*listed
	faults := map[string][]project.Problem{}
	for i, folder := range s.folders() {
		args := []string{folder}
		if i == 0 && len(s.opts.Args) > 0 {
			args = s.opts.Args
		}
		lists = append(lists, s.listFolder(folder, args, faults))
	}
	for path := range s.files.now.buffers {
		if project.HoldsText(path) && !s.inFolders(path) {
			lists = append(lists, s.listFolder(filepath.Dir(path), []string{path}, faults))
		}
	}
	s.responses = map[string]bool{}
	for _, l := range lists {
		for _, path := range l.workspace.ResponseFiles() {
			s.responses[path] = true
		}
	}
	keys, same := newKeyer(&s.opts), candidatePairs{}
	byID := map[ProofID]*record{}
	var records, appeared []*record
	s.untrusted = nil
	for _, l := range lists {
		trusted := s.trusts(l)
		for _, p := range l.proofs {
			id := ProofID(l.workspace.Root + "#" + p.Name)
			if byID[id] != nil {
				continue
			}
			r := s.byID[id]
			if r == nil && s.dormant[id] != nil {
				r = s.dormant[id]
				delete(s.dormant, id)
				s.compare(r)
			}
			if r == nil {
				r = &record{id: id, differs: map[string]bool{}, redefining: map[string]bool{}, edited: s.clock}
				appeared = append(appeared, r)
			} else if trusted && !r.trusted {
				appeared = append(appeared, r)
				s.touched[p.File] = true
			}
			if !trusted && r.run != nil {
				r.run.stop()
			}
			r.trusted = trusted
			key := keys.of(&p)
			if r.key != key || r.proof.Line != p.Line || r.proof.Column != p.Column ||
				!same.candidates(r.proof.SourceCandidates, p.SourceCandidates) {
				r.proof = p
				r.listed++
			}
			if r.key != key {
				r.key, r.spins, r.edited = key, 0, s.clock
				if r.run != nil {
					r.run.outdated = true
				}
			}
			r.root, r.workspace, r.mode = paths.Root(l.workspace.Root), l.workspace, l.workspace.On()
			if s.opts.Manual {
				r.mode = project.OnManual
			}
			if s.byID[id] == nil && (r.mode == project.OnIdle || !s.unsaved(p.File)) {
				s.touched[p.File] = true // a new proof is verified, unless it is not saved yet
				s.edited = true
			}
			byID[id] = r
			records = append(records, r)
		}
	}
	for id, r := range s.byID {
		if byID[id] != nil {
			continue
		}
		if r.run != nil {
			r.run.stop()
		}
		if s.unsaved(r.proof.File) {
			s.dormant[id] = r // it is being typed, and will return
		}
	}
	slices.SortFunc(records, func(a, b *record) int {
		return cmp.Or(cmp.Compare(a.proof.File, b.proof.File), cmp.Compare(a.proof.Line, b.proof.Line),
			cmp.Compare(a.id, b.id))
	})
	for id, r := range s.dormant {
		if !s.unsaved(r.proof.File) {
			delete(s.dormant, id)
		}
	}
	s.records, s.byID, s.dirty = records, byID, true
	s.recall(appeared)
	if !reflect.DeepEqual(s.faults, faults) {
		s.faults = faults
	}
	if s.moved {
		s.moved = false
		for _, r := range s.records {
			s.redefine(r)
		}
	}
	s.rewatch()
}

// trusts reports whether the proofs of a folder may be compiled and run, and records requests that need the user's
// permission.
func (s *state) trusts(l *listed) bool {
	if s.opts.Trusted || s.opts.Allowed == nil {
		return s.opts.Trusted
	}
	known := new(links.Memory)
	request := l.workspace.Request(l.proofs, func(path string) string { return string(known.Of(path)) })
	if request.Empty() || s.opts.Allowed(request) {
		return true
	}
	if !slices.ContainsFunc(s.untrusted, func(r trust.Request) bool { return r.Hash() == request.Hash() }) {
		s.untrusted = append(s.untrusted, request)
	}
	return false
}

// retrust lists folders without trust again, as permission may have been given elsewhere.
func (s *state) retrust() {
	if len(s.untrusted) > 0 {
		s.relist = true
	}
}

// folders returns the client's folders without those inside another one.
func (s *state) folders() []string {
	var out []string
	for i, f := range s.opts.Folders {
		f = filepath.Clean(f)
		inside := false
		for k, other := range s.opts.Folders {
			other = filepath.Clean(other)
			inside = inside || paths.Within(other, f) && (other != f || k < i)
		}
		if info, err := os.Stat(f); err == nil && info.IsDir() && !inside {
			out = append(out, f)
		}
	}
	return out
}

func (s *state) inFolders(path string) bool {
	return slices.ContainsFunc(s.opts.Folders, func(f string) bool { return paths.Within(filepath.Clean(f), path) })
}

// listFolder lists a folder. A configuration with errors is replaced by its last text without errors, as long as that
// text has none in the current folder.
func (s *state) listFolder(folder string, args []string, faults map[string][]project.Problem) *listed {
	first := s.read(folder, args, s.readFile)
	bad := map[string]bool{}
	for _, c := range first.configs {
		if faults[c] == nil {
			faults[c] = []project.Problem{}
		}
	}
	for _, p := range first.problems {
		if s.isSetting(p.File) || faults[p.File] != nil {
			if !slices.Contains(faults[p.File], p) {
				faults[p.File] = append(faults[p.File], p)
			}
			bad[p.File] = true
		}
	}
	for _, c := range first.configs {
		if text, err := s.readFile(c); err == nil && !bad[c] {
			s.good[c] = string(text)
		}
	}
	// A copy: checks read this workspace during later listings.
	good := map[string]string{}
	for c := range bad {
		if text, had := s.good[c]; had {
			good[c] = text
		}
	}
	if len(good) == 0 {
		return first
	}
	return s.read(folder, args, func(path string) ([]byte, error) {
		if text, had := good[path]; had {
			return []byte(text), nil
		}
		return s.readFile(path)
	})
}

func (s *state) read(folder string, args []string, read func(string) ([]byte, error)) *listed {
	var extra, open []string
	for path := range s.files.now.buffers {
		if _, err := os.Lstat(path); err != nil {
			extra = append(extra, path)
		}
		if project.IsForeign(path) {
			open = append(open, path)
		}
	}
	slices.Sort(extra)
	slices.Sort(open)
	w, err := project.OpenView(folder, project.View{ReadFile: read, Stamp: s.stamp, Extra: extra, Open: open,
		Memory: s.memory}, s.opts.Flags, s.opts.Client)
	l := &listed{workspace: w}
	var problems project.Problems
	switch {
	case errors.As(err, &problems):
		l.problems = problems
	case err != nil:
		l.problems = []project.Problem{{File: folder, Message: err.Error()}}
	}
	if w == nil {
		l.workspace = &project.Workspace{Root: folder, Config: &project.Config{Dir: folder}}
		return l
	}
	if len(args) == 1 && args[0] == w.Root {
		args = nil
	}
	proofs, more := w.Proofs(args)
	l.proofs, l.problems = proofs, append(l.problems, more...)
	l.configs = w.ConfigFiles()
	return l
}

// keyer computes the part of a result's dependencies that is not files: settings, compiler and solver.
type keyer struct {
	opts   *Options
	clangs map[string]string
}

func newKeyer(opts *Options) *keyer { return &keyer{opts, map[string]string{}} }

func (k *keyer) of(p *project.Proof) ondisk.Hash {
	text, err := pipeline.SettingsText(*p)
	if err != nil { // impossible; no two keys are equal then
		text = fmt.Append(nil, err, p)
	}
	h := sha256.New()
	fmt.Fprintf(h, "%s\x00%s\x00%s", k.opts.Solver, k.clang(p.Clang), text)
	return ondisk.Hash(h.Sum(nil))
}

// clang returns the identity of the compiler with a name.
func (k *keyer) clang(name string) string {
	known, ok := k.clangs[name]
	if !ok {
		known = "none"
		for _, path := range clang.Programs(name) {
			known = fmt.Sprint(known, path, ondisk.StampOf(path))
		}
		k.clangs[name] = known
	}
	return known
}

// candidatePairs compares lists of files, which many proofs share.
type candidatePairs map[[2]*project.Unit]bool

func (c candidatePairs) candidates(a, b []project.Unit) bool {
	if len(a) != len(b) || len(a) == 0 {
		return len(a) == len(b)
	}
	pair := [2]*project.Unit{&a[0], &b[0]}
	known, ok := c[pair]
	if !ok {
		known = reflect.DeepEqual(a, b)
		c[pair] = known
	}
	return known
}
