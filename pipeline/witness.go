package pipeline

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/pipeline/cache"
	"github.com/unitproof/unitproof/pipeline/clang"
	"github.com/unitproof/unitproof/pipeline/ondisk"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/pipeline/regular"
	"github.com/unitproof/unitproof/pipeline/solver"
	"github.com/unitproof/unitproof/vcgen/found"
)

// The inputs of a result in a portable form (diagnostics.RestsOn), comparable on other machines and in other folders:
// paths are relative to the root. The headers of the program are represented by the program's version.

// witness records the inputs of one check of a proof.
type witness struct {
	mu      sync.Mutex
	inputs  *Inputs
	answers map[string][]project.Unit
}

func (w *witness) saw(in *Inputs) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.inputs = in
}

// define returns a Define whose results are recorded.
func (w *witness) define(d Define) Define {
	if w == nil || d == nil {
		return d
	}
	return func(names []string) map[string][]project.Unit {
		answer := d(names)
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.answers == nil {
			w.answers = map[string][]project.Unit{}
		}
		for _, name := range names {
			w.answers[name] = answer[name]
		}
		return answer
	}
}

// Rests computes and compares the inputs of results, for one root, one solver and the installed compilers.
type Rests struct {
	root    paths.Root
	solver  string
	program string // "": unknown; then no result is fresh
	own     string // folder of the program's headers

	mu        sync.Mutex
	compilers map[string]string
	looks     map[ondisk.Hash]bool // reports whether a text tests for the existence of files
	hashes    ondisk.Hashes
}

// NewRests returns the Rests for the proofs of a root; kind is the solver of the Settings.
func NewRests(root paths.Root, kind string) *Rests {
	r := &Rests{root: root, solver: kind, compilers: map[string]string{}, looks: map[ondisk.Hash]bool{}}
	if kind == "" {
		r.solver = solver.Default
	}
	if dir, err := clang.Headers(); err == nil {
		r.own = dir
	}
	if program, err := cache.Engine(); err == nil {
		r.program = program
	}
	return r
}

// of returns the inputs of a result; nil if the result is not reproducible on every machine.
func (r *Rests) of(ctx context.Context, p *project.Proof, result *diagnostics.Proof, w *witness) *diagnostics.RestsOn {
	w.mu.Lock()
	defer w.mu.Unlock()
	in := w.inputs
	if r.program == "" || in == nil || in.Moving || !Settled(result) || !SearchKnown(p) || !AnswersKnown(w.answers) {
		return nil
	}
	settings, ok := r.settings(ctx, p)
	if !ok {
		return nil
	}
	on := &diagnostics.RestsOn{Program: r.program, Settings: settings, Files: map[string]string{}, Asked: in.Asked}
	if len(in.Asked) > 0 {
		on.Definitions = r.definitions(w.answers)
	}
	for path, hash := range in.Files {
		if r.own != "" && paths.Within(r.own, path) {
			continue
		}
		if hash != (ondisk.Hash{}) && hash != ondisk.Folder && !InSystemFolder(path) && r.looksAround(path, hash) {
			return nil
		}
		on.Files[r.root.Show(path)] = hexOf(hash)
	}
	return on
}

// Fresh returns why a result with the inputs on does not hold for a proof now ("src/a.c differs"); "" if it
// does. define finds the proof's missing names; may be nil.
func (r *Rests) Fresh(ctx context.Context, p *project.Proof, on *diagnostics.RestsOn, define Define) (stale string) {
	if on == nil {
		return "it does not list its input files"
	}
	if stale = r.other(ctx, p, on); stale != "" {
		return stale
	}
	for _, name := range slices.Sorted(maps.Keys(on.Files)) {
		if now, _ := r.hashes.Of(r.root.Find(name)); hexOf(now) != on.Files[name] {
			return name + " differs"
		}
	}
	return r.elsewhere(on, define)
}

// FreshBesideFiles is Fresh without the comparison of files, which the caller has made.
func (r *Rests) FreshBesideFiles(ctx context.Context, p *project.Proof, on *diagnostics.RestsOn,
	define Define) (stale string) {
	if stale = r.other(ctx, p, on); stale != "" {
		return stale
	}
	return r.elsewhere(on, define)
}

// elsewhere returns an error text if the missing names of a proof have other definitions now; otherwise "".
func (r *Rests) elsewhere(on *diagnostics.RestsOn, define Define) string {
	if len(on.Asked) == 0 {
		return ""
	}
	var now map[string][]project.Unit
	if define != nil {
		now = define(on.Asked)
	}
	if r.definitions(now) != on.Definitions {
		return "a missing function is now defined elsewhere"
	}
	return ""
}

// other compares the inputs that are not files and returns an error text; "" if they are the same.
func (r *Rests) other(ctx context.Context, p *project.Proof, on *diagnostics.RestsOn) string {
	switch settings, ok := r.settings(ctx, p); {
	case r.program == "" || on.Program != r.program:
		return "it was checked by another build of unitproof"
	case !ok || on.Settings != settings:
		return "settings, flags or the compiler differ"
	case on.Files[r.root.Show(p.File)] == "": // else a truncated list would pass as one with unchanged files
		return "it does not say how " + r.root.Show(p.File) + " was"
	}
	return ""
}

// looksAround reports whether a file tests for the existence of other files, whose paths are not recorded; true if the
// file cannot be read.
func (r *Rests) looksAround(path string, hash ondisk.Hash) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	looks, known := r.looks[hash]
	if !known {
		text, err := regular.Source(path)
		if err != nil || sha256.Sum256(text) != hash {
			return true
		}
		looks = bytes.Contains(text, []byte("__has_include"))
		r.looks[hash] = looks
	}
	return looks
}

// Settled reports whether a verdict is reproducible: it does not depend on time, cancellation or a failure.
func Settled(p *diagnostics.Proof) bool {
	switch p.Verdict {
	case found.Proved, found.Failed, found.Bounded, found.Vacuous:
		return p.Engine != nil && p.Engine.Unsettled == 0
	case found.Unknown:
		return p.Engine != nil && p.Engine.Unsettled == 0 && p.Why.Why != "" && p.Why.Lasts() &&
			!slices.ContainsFunc(p.Obligations, func(f diagnostics.Finding) bool { return !f.Why.Lasts() })
	}
	return false
}

// SearchKnown reports whether clang's search paths for headers are known for all files of a proof.
func SearchKnown(p *project.Proof) bool {
	return searchKnownOf(slices.Concat([]project.Unit{p.EntryUnit}, p.Sources, p.Overrides))
}

func searchKnownOf(units []project.Unit) bool {
	return !slices.ContainsFunc(units, func(u project.Unit) bool { return !clang.SearchKnown(u.Flags) })
}

// AnswersKnown reports whether the same holds for the files that define the proof's missing names.
func AnswersKnown(answers map[string][]project.Unit) bool {
	for _, units := range answers {
		if !searchKnownOf(units) {
			return false
		}
	}
	return true
}

// settings returns a hash of all settings of a proof, except for files.
func (r *Rests) settings(ctx context.Context, p *project.Proof) (string, bool) {
	q := *p
	// These affect only the output beside the verdict.
	q.Options.Coverage, q.Options.Explain, q.Options.FullTrace = false, false, false
	text, err := SettingsText(q)
	if err != nil {
		return "", false
	}
	compiler, ok := r.compiler(ctx, p.Clang)
	h := cache.NewHash("settings 1").String(r.solver).String(compiler).Bytes(r.rebase(text))
	for _, name := range clang.SearchVariables() {
		h.String(os.Getenv(name))
	}
	key := h.Key()
	return hexOf(key), ok
}

// SettingsText serializes all settings of a proof that are not derived from files. Proofs with equal texts are checked
// in the same way.
func SettingsText(p project.Proof) ([]byte, error) {
	p.Line, p.Column, p.SourceCandidates = 0, 0, nil
	return json.Marshal(proofToWire(p))
}

// compiler returns the version that a compiler prints; false if there is none.
func (r *Rests) compiler(ctx context.Context, name string) (string, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	at := name
	for _, path := range clang.Programs(name) {
		at = fmt.Sprint(at, "\x00", path, ondisk.StampOf(path))
	}
	version, known := r.compilers[at]
	if !known {
		if t, err := clang.Find(ctx, name); err == nil {
			version = t.Version
		}
		if version == "" {
			return "", false // it may be installed in the meantime
		}
		r.compilers[at] = version
	}
	return version, true
}

// definitions returns a hash of the files that define names, with their flags.
func (r *Rests) definitions(answers map[string][]project.Unit) string {
	answers = maps.Clone(answers)
	maps.DeleteFunc(answers, func(_ string, units []project.Unit) bool { return len(units) == 0 })
	text, err := json.Marshal(answers)
	if err != nil || len(answers) == 0 {
		return ""
	}
	return hexOf(cache.NewHash("definitions 1").Bytes(r.rebase(text)).Key())
}

// rebase replaces the root in the strings of a JSON value by a NUL, which no path contains: at the beginning of a
// string, and in flags ("-I/root/include") at the first slash.
func (r *Rests) rebase(text []byte) []byte {
	var value any
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	if dec.Decode(&value) != nil {
		return text
	}
	root := filepath.Clean(string(r.root))
	var walk func(any) any
	walk = func(v any) any {
		switch v := v.(type) {
		case string:
			at := 0
			if strings.HasPrefix(v, "-") {
				at = max(strings.IndexByte(v, '/'), 0)
			}
			if rest, ok := strings.CutPrefix(v[at:], root); ok && (rest == "" || rest[0] == '/' || rest[0] == '"') {
				return v[:at] + "\x00" + rest
			}
		case []any:
			for i := range v {
				v[i] = walk(v[i])
			}
		case map[string]any:
			for k := range v {
				v[k] = walk(v[k])
			}
		}
		return v
	}
	out, err := json.Marshal(walk(value))
	if err != nil {
		return fmt.Append(nil, err, text)
	}
	return out
}

// hexOf returns a hash in hexadecimal; "" for the zero hash.
func hexOf[H ~[sha256.Size]byte](h H) string {
	if h == (H{}) {
		return ""
	}
	return hex.EncodeToString(h[:])
}
