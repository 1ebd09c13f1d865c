package pipeline

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/pipeline/equiv"
	"github.com/unitproof/unitproof/pipeline/harness"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/pipeline/regular"
	"github.com/unitproof/unitproof/pipeline/scratch"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// blobName returns git's name of a file's content, with SHA-1 or, for names of 64 digits, SHA-256.
func blobName(text []byte, digits int) string {
	data := fmt.Appendf(nil, "blob %d\x00%s", len(text), text)
	if digits == 64 {
		return fmt.Sprintf("%x", sha256.Sum256(data))
	}
	return fmt.Sprintf("%x", sha1.Sum(data))
}

// Comparer compares functions of a project with an earlier revision.
type Comparer struct {
	Generator
	Revision *Revision
}

// comparedSizes are the sizes of arrays in comparisons; the first one that is not decided ends the attempts. Beyond the
// first one, largeTime is the limit.
var comparedSizes = []int{4, 1 << 16}

const largeTime = 3 * time.Second

// ChangedFunctions returns the functions of a file that the revision has, too, with another text.
func (c *Comparer) ChangedFunctions(w *project.Workspace, file string) []string {
	before, ok := c.Revision.Texts[file]
	if !ok {
		return nil
	}
	after, err := regular.Source(file)
	if err != nil {
		return nil
	}
	return ChangedBetween(before, after)
}

// ChangedBetween returns the functions that two texts of a file define with different tokens, sorted.
func ChangedBetween(before, after []byte) (list []string) {
	old := functionTexts(before)
	for name, text := range functionTexts(after) {
		if was, ok := old[name]; ok && was != text {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// Compare compares one function. If file is "", the function is searched in the project. An error means that
// the arguments are wrong.
func (c *Comparer) Compare(ctx context.Context, function, file string) (*diagnostics.Comparison, error) {
	began := time.Now()
	w, err := project.Open(c.Base, c.Flags)
	if err != nil {
		return nil, err
	}
	if file, err = c.locate(w, function, file); err != nil {
		return nil, err
	}
	root := paths.Root(w.Root)
	out := &diagnostics.Comparison{Function: function, File: root.Show(file), Base: c.Revision.Name,
		Answer: diagnostics.BehaviourUndecided}
	var folder string // of temporary files
	defer func() {
		out.MS = time.Since(began).Milliseconds()
		hideFolder(out, folder, root)
	}()
	if c.Revision.Added[file] {
		out.Reason = "the file is not in " + c.Revision.Name
		return out, nil
	}
	request, p, err := c.understand(ctx, w, function, file)
	if err != nil {
		out.Reason = err.Error()
		return out, nil
	}
	t := &twoVersions{Comparer: c, w: w, root: root, file: file, function: function, request: request, p: p, out: out}
	if t.dir, err = scratch.Mkdir("equiv-*"); err != nil {
		return nil, err
	}
	defer os.RemoveAll(t.dir)
	if t.dir, err = filepath.EvalSymlinks(t.dir); err != nil {
		return nil, err
	}
	folder = t.dir
	for _, f := range request.Program.Funcs {
		if f.SourceName == function && f.Loc != nil && len(f.Blocks) > 0 && f.Loc.File == file {
			out.Line = f.Loc.Line
		}
	}
	return out, t.run(ctx)
}

// twoVersions is one comparison.
type twoVersions struct {
	*Comparer
	w              *project.Workspace
	root           paths.Root
	file, function string
	request        *harness.Request
	p              *project.Proof // of the function's own file
	out            *diagnostics.Comparison
	dir            string // of temporary files
	made           *harness.Proof
	product        *equiv.Product
	before         []byte   // the linked module
	files          []string // of the version before
	filesAfter     []string
	outside        outsideObjects // of the last attempt
	lines          bool           // __LINE__ is the same in both versions
	varied         bool           // the findings do not depend on memory that was never written
}

// Files of a comparison in its folder.
func (t *twoVersions) harnessFile() string { return filepath.Join(t.dir, "compare_"+t.function+".c") }
func (t *twoVersions) runtimeFile() string { return filepath.Join(t.dir, "compare_runtime.c") }
func (t *twoVersions) moved(path string) string {
	if !filepath.IsAbs(path) || InSystemFolder(path) && !paths.Within(string(t.root), path) {
		return path
	}
	return filepath.Join(t.dir, "before", path)
}

// run compares at growing sizes, and keeps the answer for the largest decided size.
func (t *twoVersions) run(ctx context.Context) error {
	checker := NewChecker(t.Settings)
	defer checker.Close()
	var err error
	own := *t.p
	*t.p = t.withChangedFiles(own)
	if t.before, t.files, err = t.compile(ctx, checker, *t.p, t.Revision.Texts); err != nil {
		*t.p = own // a changed file needs other flags
		t.before, t.files, err = t.compile(ctx, checker, *t.p, t.Revision.Texts)
	}
	if err != nil {
		t.out.Reason = fmt.Sprintf("in %s: %s", t.Revision.Name, err)
		return ctx.Err()
	}
	if t.out.Reason = t.notOfRevision(); t.out.Reason != "" {
		return nil
	}
	if t.withoutLines(ctx, checker); ctx.Err() != nil {
		return ctx.Err()
	}
	if t.inLockstep(ctx, checker) || ctx.Err() != nil {
		return ctx.Err()
	}
	if t.inExecutions(ctx, checker) || ctx.Err() != nil {
		return ctx.Err()
	}
	for i, size := range comparedSizes {
		last, smaller := *t.out, t.outside
		if err := t.attempt(ctx, checker, size, i > 0, nil); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			t.out.Reason = err.Error()
		}
		if t.out.Answer == diagnostics.OtherBehaviour && t.differsFromItself(ctx, checker, size) {
			t.out.Answer, t.out.Differences = diagnostics.BehaviourUndecided, nil
			t.out.Reason = "the comparison finds a difference between the version in " + t.Revision.Name + " and itself"
		}
		rest := t.outside
		if i > 0 {
			rest = smaller.evenIfLarger(t.outside)
		}
		if i > 0 && (t.out.Answer == diagnostics.BehaviourUndecided || t.out.Answer == diagnostics.SameWithinBounds) {
			*t.out = last
			rest.weaken(t.out)
			t.weaken()
			return nil
		}
		if i == len(comparedSizes)-1 || t.made == nil || !t.made.Sized || t.out.Answer != diagnostics.SameBehaviour {
			rest.weaken(t.out)
			t.weaken()
			return nil
		}
	}
	return nil
}

// weaken turns "equivalent" into "no difference within bounds" if objects of the arguments have some of their states
// only, as those of a constructor: a caller may pass others, on which the versions may differ.
func (t *twoVersions) weaken() {
	if t.out.Answer != diagnostics.SameBehaviour || t.made == nil || len(t.made.Partial) == 0 {
		return
	}
	t.out.Answer = diagnostics.SameWithinBounds
	t.out.Reason = "not all states of the arguments were compared: " + t.made.Partial[0]
}

// differsFromItself reports whether a comparison of the version before with itself finds a difference. Its cause is the
// comparison, such as memory that a function without a body should have written.
func (t *twoVersions) differsFromItself(ctx context.Context, c *Checker, size int) bool {
	out, made, product, outside := *t.out, t.made, t.product, t.outside
	err := t.attempt(ctx, c, size, false, t.Revision.Texts)
	differs := err == nil && t.out.Answer == diagnostics.OtherBehaviour
	*t.out, t.made, t.product, t.outside = out, made, product, outside
	return differs
}

// compile returns the linked module of a proof.
func (t *twoVersions) compile(ctx context.Context, c *Checker, p project.Proof, texts map[string][]byte) (module []byte,
	files []string, err error) {
	p.Contracts, p.LoopContracts, p.UseContracts, p.Contract = "inline", false, nil, false
	ctx, cancel := context.WithTimeout(ctx, p.Timeout)
	defer cancel()
	b, err := c.build(ctx, &p, func(names []string) map[string][]project.Unit {
		return t.w.Definitions(&p, slices.DeleteFunc(names, func(n string) bool {
			return strings.HasPrefix(n, equiv.RuntimePrefix) || n == t.function+harness.BeforeSuffix
		}))
	}, &Live{Virtual: texts})
	if err != nil {
		failed := failedBuild(ctx, &p, c.meta(&p), err)
		if len(failed.Errors) > 0 {
			return nil, nil, fmt.Errorf("%s:%d: %s", failed.Errors[0].File, failed.Errors[0].Line, failed.Errors[0].Message)
		}
		return nil, nil, errors.New(failed.Reason)
	}
	for _, f := range b.module.Files {
		if t.moved(f) != f {
			files = append(files, f)
		}
	}
	return b.module.Text, files, nil
}

// attempt compares with arrays up to a size. texts are contents that replace files of the version after.
func (t *twoVersions) attempt(ctx context.Context, c *Checker, size int, short bool, texts map[string][]byte) error {
	p, err := t.write(ctx, c, size, texts, false)
	if err != nil {
		return err
	}
	if short {
		p.Timeout = min(p.Timeout, largeTime)
	}
	result := t.Pool.Run(ctx, Batch{Settings: t.Settings, Proofs: []project.Proof{p}}, func(Event) {})[0]
	if err := ctx.Err(); err != nil {
		return err
	}
	t.judge(&result.Proof, size)
	return nil
}

// write writes the program that compares the versions with arrays up to a size, and returns its proof. executed: the
// program is only executed.
func (t *twoVersions) write(ctx context.Context, c *Checker, size int, texts map[string][]byte,
	executed bool) (p project.Proof, err error) {
	r := *t.request
	r.Compare, r.Executed, r.Include, r.Size, r.Dir = true, executed, true, size, t.dir
	// The objects are as large as the version before needs: an access of the version after beyond them is a difference.
	if r.Program, err = clangir.Read(t.before, llvmir.ReadOptions{}); err != nil {
		return p, err
	}
	if t.made, err = harness.Write(r); err != nil {
		return p, err
	}
	if err := os.WriteFile(t.harnessFile(), t.made.Text, 0o600); err != nil {
		return p, err
	}
	p = *t.p
	p.Entry, p.Name, p.File = "main", t.function, t.harnessFile()
	p.EntryUnit.File = t.harnessFile()
	p.Options.Accept, p.Accepts = nil, nil
	after, files, err := t.compile(ctx, c, p, texts)
	if err != nil {
		return p, err
	}
	t.filesAfter = files
	t.product, err = equiv.Build(equiv.Request{After: after, Before: t.before, Function: t.function, File: t.file,
		Harness: t.harnessFile(), Moved: t.moved, Mentions: t.mentions,
		Callbacks: t.made.Callbacks, Executed: executed})
	if err != nil {
		return p, err
	}
	module := filepath.Join(t.dir, "compare_"+t.function+".ll")
	err = errors.Join(os.WriteFile(module, t.product.Module, 0o600),
		os.WriteFile(t.runtimeFile(), t.product.Runtime, 0o600), t.copyBefore())
	if err != nil {
		return p, err
	}
	p.File, p.EntryUnit.File = module, module
	p.Sources = []project.Unit{{File: t.runtimeFile(), Dir: t.dir}}
	p.Overrides, p.SourceCandidates = nil, nil
	if t.Apply != nil {
		t.Apply(&p)
	}
	return p, nil
}

// mentions reports whether the function's file or a header has an identifier in a version.
func (t *twoVersions) mentions(before bool, name string) bool {
	texts := append(slices.Clone(t.request.Texts), t.request.Text)
	if before {
		texts = nil
		for _, file := range append(slices.Clone(t.files), t.file) {
			text, ok := t.Revision.Texts[file]
			if !ok {
				text, _ = regular.Source(file) // without a text no name is mentioned, and the variable is not compared
			}
			texts = append(texts, text)
		}
	}
	word := regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\b`)
	return slices.ContainsFunc(texts, word.Match)
}

// copyBefore writes the files of the version before that results may name.
func (t *twoVersions) copyBefore() error {
	m, err := clangir.Read(t.before, llvmir.ReadOptions{})
	if err != nil {
		return err
	}
	done := map[string]bool{}
	for _, f := range m.Funcs {
		if f.Loc == nil || done[f.Loc.File] || t.moved(f.Loc.File) == f.Loc.File {
			continue
		}
		done[f.Loc.File] = true
		text, ok := t.Revision.Texts[f.Loc.File]
		if !ok {
			if text, err = regular.Source(f.Loc.File); err != nil {
				continue
			}
		}
		path := t.moved(f.Loc.File)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// judge sets the answer from the result of the check.
func (t *twoVersions) judge(p *diagnostics.Proof, size int) {
	v := judgement{t: t, p: p}
	t.outside = outsideObjects{}
	out := t.out
	out.Answer, out.Reason, out.Differences, out.Excluded = diagnostics.BehaviourUndecided, "", nil, nil
	out.Size, out.Depth = 0, t.made.Depth
	if t.made.Sized {
		out.Size = size
	}
	out.NotCompared = t.product.NotCompared
	out.Assumed = slices.Concat(t.product.Assumed, t.made.Apart, t.made.Questions, t.assumptions(t.product.Outside))
	v.decide()
}
