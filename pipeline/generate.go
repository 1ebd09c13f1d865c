package pipeline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/pipeline/harness"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/pipeline/regular"
	"github.com/unitproof/unitproof/vcgen/found"
)

// Generator writes proofs of functions of a project: it compiles the function, generates the text (package harness),
// and checks it at growing sizes. The file remains only if it compiles.
type Generator struct {
	Base     string        // the working directory
	Flags    project.Flags // how files are compiled and checked
	Settings Settings
	Pool     *Pool
	// Apply changes a proof before it is checked; nil changes nothing.
	Apply func(p *project.Proof)
	// Output is the file of the proof; "" puts it in the folder of the project's other proofs.
	Output string
	// Force replaces an existing file.
	Force bool
	// added are folders of headers that the flags lacked.
	added []string
	// pinned are the files of the proof, if others define the function, too; nil: the project shows which one is meant.
	pinned []string
}

// With returns the generator for one of several functions, whose proofs are in a folder; "": that of the others.
func (g *Generator) With(folder, function string) *Generator {
	one := *g
	if one.Output = ""; folder != "" {
		one.Output = filepath.Join(folder, function+"_harness.c")
	}
	return &one
}

// path returns the file of the proof of a function.
func (g *Generator) path(w *project.Workspace, function string) (string, error) {
	path := g.Output
	if path == "" {
		path = filepath.Join(g.folder(w), function+"_harness.c")
	} else if !filepath.IsAbs(path) {
		path = filepath.Join(g.Base, path)
	}
	return filepath.Abs(path)
}

// Generated is a proof that was written, and the result of its check.
type Generated struct {
	Function string `json:"function"`
	File     string `json:"file"`              // the file that defines Function
	Harness  string `json:"harness,omitempty"` // the proof's file; "" if none was left
	// Verdict is the verdict of the proof with its final size; error if no text compiles.
	Verdict found.Verdict `json:"verdict"`
	Reason  string        `json:"reason,omitempty"`
	// Failures are the findings that fail, in words.
	Failures []string `json:"failures,omitempty"`
	// Size is the largest number of elements with a decided verdict; 0 if the proof has no size.
	Size      int      `json:"size,omitempty"`
	Questions []string `json:"questions,omitempty"`
	// Unreached are the lines of the function that no execution of the proved proof reaches.
	Unreached []int `json:"unreached,omitempty"`
	// Includes are the folders of headers that no flag names, and that were added to the flags.
	Includes []string `json:"includes,omitempty"`
	// Registered is the unitproof.toml that lists the proof; "" if none was needed.
	Registered string `json:"registered,omitempty"`
	MS         int64  `json:"ms"`

	Proof diagnostics.Proof `json:"-"`
}

// FirstCheck is the time limit of the first check of a proof: CPU time. A user waits for it.
const FirstCheck = 30 * time.Second

// ErrExists is the error for a file of a proof that already exists.
var ErrExists = errors.New("exists already")

// Generate writes the proof of a function. If file is "", the function is searched in the project.
func (g *Generator) Generate(ctx context.Context, function, file string) (*Generated, error) {
	began := time.Now()
	w, err := project.Open(g.Base, g.Flags)
	if err != nil {
		return nil, err
	}
	if file, err = g.locate(w, function, file); err != nil {
		return nil, err
	}
	root := paths.Root(w.Root)
	out := &Generated{Function: function, File: root.Show(file), Verdict: found.Error}
	path, err := g.path(w, function)
	if err != nil {
		return nil, err
	}
	if _, err := os.Lstat(path); err == nil && !g.Force {
		out.Harness = root.Show(path)
		return out, fmt.Errorf("%s %w (--force replaces it)", root.Show(path), ErrExists)
	}
	g, request, p, err := g.understood(ctx, w, function, file)
	for _, dir := range g.added {
		out.Includes = append(out.Includes, root.Show(dir))
	}
	if err != nil {
		out.Reason = err.Error()
		return out, nil
	}
	request.Dir = filepath.Dir(path)
	t := &trial{g: g, root: root, path: path, request: request, source: p, budget: budget{total: draftTime}}
	if err := t.write(ctx, out); err != nil {
		return nil, err
	}
	out.MS = time.Since(began).Milliseconds()
	return out, nil
}

// locate returns the absolute path of the file that defines a function: the given one, or the only one of the project.
// A definition for other files is taken before a static one.
func (g *Generator) locate(w *project.Workspace, function, file string) (string, error) {
	if file == "" {
		files := w.DefinedBelow("", []string{function})[function]
		if len(files) == 0 {
			files = w.FunctionBelow(function)
		}
		switch len(files) {
		case 0:
			return "", fmt.Errorf("no C file or header below %s has the body of a function %s; a body that a macro writes "+
				"is not seen", w.Root, function)
		case 1:
			file = files[0]
		default:
			shown := make([]string, len(files))
			for i := range files {
				shown[i] = paths.Root(w.Root).Show(files[i])
			}
			return "", fmt.Errorf("%s is defined in %s: name one of these files", function, strings.Join(shown, ", "))
		}
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(g.Base, file)
	}
	return filepath.Abs(file)
}

// Check checks an existing proof as it is.
func (g *Generator) Check(ctx context.Context, out *Generated) error {
	began := time.Now()
	w, err := project.Open(g.Base, g.Flags)
	if err != nil {
		return err
	}
	list, _ := w.Proofs([]string{paths.Root(w.Root).Find(out.Harness)})
	if len(list) == 0 {
		return fmt.Errorf("%s holds no proof", out.Harness)
	}
	result := g.Pool.Run(ctx, Batch{Settings: g.Settings, Proofs: list[:1], Define: w.Definitions}, func(Event) {})[0]
	out.take(&result.Proof)
	out.MS = time.Since(began).Milliseconds()
	return ctx.Err()
}

// take copies the result of a check.
func (out *Generated) take(p *diagnostics.Proof) {
	out.Verdict, out.Reason, out.Proof, out.Failures = p.Verdict, p.Reason, *p, FailuresOf(p)
}

// FailuresOf returns the findings of a proof that fail, as Generated has them.
func FailuresOf(p *diagnostics.Proof) (list []string) {
	for i := range p.Obligations {
		if f := &p.Obligations[i]; f.Verdict == found.Failed {
			list = append(list, fmt.Sprintf("%s:%d: [%s] %s", f.File, f.Line, f.Kind, f.Message))
		}
	}
	return list
}

// folder returns the folder with most of the project's proofs; by default "proofs" at the root.
func (g *Generator) folder(w *project.Workspace) string {
	count := map[string]int{}
	best := filepath.Join(w.Root, "proofs")
	all, _ := w.Proofs(nil)
	for i := range all {
		if p := &all[i]; !p.Contract && !p.IsFuzzTarget() {
			dir := filepath.Dir(p.File)
			if count[dir]++; count[dir] > count[best] {
				best = dir
			}
		}
	}
	return best
}

// understand compiles the function and collects the facts for its proof.
func (g *Generator) understand(ctx context.Context, w *project.Workspace, function, file string) (*harness.Request,
	*project.Proof, error) {
	flags := g.Flags
	flags.Entry = function
	entry, err := project.Open(g.Base, flags)
	if err != nil {
		return nil, nil, err
	}
	list, problems := entry.Proofs([]string{file})
	if len(list) == 0 {
		if len(problems) > 0 {
			return nil, nil, errors.New(problems[0].Message)
		}
		return nil, nil, fmt.Errorf("%s has no function %s", file, function)
	}
	p := &list[0]
	p.Contract = false
	checker := NewChecker(g.Settings)
	defer checker.Close()
	define := func(names []string) map[string][]project.Unit { return entry.Definitions(p, names) }
	program, files, err := checker.Program(ctx, *p, define)
	if err != nil {
		return nil, nil, err
	}
	text, headers := completed(entry, program, function, file)
	if len(headers) > 0 { // the file itself needs no more than the names of these types
		complete, read, err := checker.program(ctx, *p, define, &Live{Virtual: text})
		if err != nil {
			text, headers = nil, nil
		} else {
			program, files = complete, read
		}
	}
	r := &harness.Request{Program: program, Siblings: program, Function: function, File: file, Size: firstSize,
		Own: func(path string) bool { _, err := os.Stat(path); return err == nil }}
	r.Headers = headers
	if m, err := checker.siblings(ctx, *p, entry.DefinedFunctions(file), text); err == nil { // otherwise less is known
		r.Siblings = m
	}
	for _, name := range files {
		text, err := regular.Source(name)
		switch {
		case err != nil:
		case name == file:
			r.Text = text
		case filepath.Ext(name) == ".c": // the proof sees no declaration in it
			r.Code = append(r.Code, text)
		case paths.Within(w.Root, name) || paths.Within(filepath.Dir(file), name):
			r.Texts = append(r.Texts, text)
		}
	}
	if r.Text == nil {
		if r.Text, err = regular.Source(file); err != nil {
			return nil, nil, err
		}
	}
	g.pinned = nil
	if len(entry.Definitions(p, []string{function})[function]) > 0 { // files other than this one
		for _, u := range p.SourceCandidates {
			if filepath.Dir(u.File) == filepath.Dir(file) {
				g.pinned = append(g.pinned, u.File)
			}
		}
	}
	for _, f := range program.Funcs {
		if f.SourceName == function && f.Loc != nil && f.Loc.File == file && len(f.Blocks) > 0 {
			r.Include = !f.External
		}
	}
	return r, p, nil
}

// trial writes variants of a proof's file until one compiles, with growing sizes.
type trial struct {
	g          *Generator
	root       paths.Root
	path       string
	request    *harness.Request
	source     *project.Proof // of the function's own file
	registered bool
	before     []byte // unitproof.toml before the proof was entered; nil: there was none
	budget     budget
	optional   bool // whether the proof has another result
	unwritten  bool // whether reads of memory that was never written are checked, too
	coverage   bool // whether the next check also determines covered
	covered    found.Coverage
}

func (t *trial) write(ctx context.Context, out *Generated) error {
	if err := os.MkdirAll(filepath.Dir(t.path), 0o777); err != nil {
		return err
	}
	old, _ := os.ReadFile(t.path)
	for {
		made, err := harness.Write(*t.request)
		if err != nil {
			out.Reason = err.Error()
			return nil
		}
		out.Questions = made.Questions
		t.request.Include = made.Included
		proof, err := t.sizes(ctx, made, out)
		if err != nil {
			return err
		}
		switch {
		case proof.Verdict == found.Vacuous && !t.request.Unasserted: // the assertions contradict the rest
			t.request.Unasserted = true
			continue
		case proof.Verdict == found.Failed && made.Spared:
			if proof, made, err = t.withAll(ctx, proof, made, out); err != nil {
				return err
			}
			out.Questions = made.Questions
			fallthrough
		case proof.Verdict != found.Error:
			if proof, made, err = t.withOperations(ctx, proof, made, out); err != nil {
				return err
			}
			out.Questions = made.Questions
			if proof, err = t.readsUnwritten(ctx, proof); err != nil {
				return err
			}
			if out.Unreached, err = t.unreached(ctx, proof); err != nil {
				return err
			}
			out.Harness = t.root.Show(t.path)
			out.take(proof)
			if t.registered {
				out.Registered = t.root.Show(t.config())
			}
			return nil
		}
		out.Reason = errorOf(proof)
		t.unregister()
		switch {
		case !t.request.AllHeaders && !t.request.Include:
			t.request.AllHeaders = true
		case !t.request.Include:
			t.request.Include = true
		case !t.request.Unasserted:
			t.request.Unasserted = true
		case old != nil: // this was the last variant
			return os.WriteFile(t.path, old, 0o666)
		default:
			return os.Remove(t.path)
		}
	}
}

// errorOf returns the first error of a proof that does not compile.
func errorOf(p *diagnostics.Proof) string {
	if len(p.Errors) > 0 {
		e := p.Errors[0]
		return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Message)
	}
	return p.Reason
}

// put writes the file in the project's format.
func (t *trial) put(text []byte) error {
	if formatted, err := format(text, t.path); err == nil {
		text = formatted
	}
	return os.WriteFile(t.path, text, 0o666)
}

// format formats a text with clang-format, if it is installed and the project has a style.
func format(text []byte, path string) ([]byte, error) {
	program, err := exec.LookPath("clang-format")
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(program, "--style=file", "--fallback-style=none", "--assume-filename="+path)
	cmd.Stdin = bytes.NewReader(text)
	return cmd.Output()
}

// check checks the proof's file. The limit applies unless the user gave one, or the project's is shorter.
func (t *trial) check(ctx context.Context, limit time.Duration) (*diagnostics.Proof, error) {
	var before *diagnostics.Proof // with fewer files
	var sources []string
	for {
		w, err := project.Open(t.g.Base, t.g.Flags)
		if err != nil {
			return nil, err
		}
		list, problems := w.Proofs([]string{t.path})
		if len(list) == 0 {
			if len(problems) > 0 {
				return nil, errors.New(problems[0].Message)
			}
			return nil, fmt.Errorf("%s is not a proof", t.path)
		}
		p := list[0]
		if !t.registered && (t.needsEntry(&p) || t.ambiguous(w, &p)) {
			if err := t.register(); err != nil {
				return nil, err
			}
			continue
		}
		if t.g.Apply != nil {
			t.g.Apply(&p)
		}
		if t.unwritten {
			p.Options.Checks = maps.Clone(p.Options.Checks)
			p.Options.Checks[found.UninitializedRead] = true
		}
		p.Options.Coverage = p.Options.Coverage || t.coverage
		if t.g.Flags.Timeout == nil && (p.Timeout <= 0 || p.Timeout > limit) {
			p.Timeout = limit
		}
		began := time.Now()
		result := t.g.Pool.Run(ctx, Batch{Settings: t.g.Settings, Proofs: []project.Proof{p}, Define: w.Definitions},
			func(Event) {})[0]
		t.covered = result.Covered
		t.insist(&result.Proof)
		t.budget.charge(&result, time.Since(began))
		switch proof := &result.Proof; {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case before != nil && proof.Verdict == found.Error: // the files that were added cannot be compiled like this
			t.g.Flags.Sources = sources
			t.unregister()
			return before, t.register()
		case proof.Verdict != found.Error && len(p.SourceCandidates) == 0:
			before, sources = proof, t.g.Flags.Sources
			if t.g.link(w, t.request.File, bodiesMissing(proof)) {
				t.unregister()
				continue
			}
		}
		return &result.Proof, nil
	}
}

// bodiesMissing returns the functions without a body that a proof makes an assumption of.
func bodiesMissing(p *diagnostics.Proof) (names []string) {
	for _, a := range p.Assumptions {
		if a.Is.What == found.MissingBody {
			names = append(names, a.Is.Name)
		}
	}
	return names
}

// insist makes a proof an error that does not contain the body of the function: it would be proved for nothing.
func (t *trial) insist(p *diagnostics.Proof) {
	if slices.Contains(bodiesMissing(p), t.request.Function) {
		p.Verdict, p.Reason = found.Error, "the body of "+t.request.Function+" is not linked with the proof"
	}
}
