package pipeline

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/pipeline/contract"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen/found"
)

// AuditOptions are the questions of an audit that are not always asked.
type AuditOptions struct {
	// Clauses asks for clauses of specifications that no proof needs, or that could say more.
	Clauses bool
	// MinScore is the least strength of a proof in percent; 0 asks for none.
	MinScore float64
}

// auditMutants is the number of changes that are tried of the code under a proof.
const auditMutants = 50

// Audit checks proofs of a project with coverage and explanations, and makes the audit. The results of the proofs come
// with it, in their order. If ctx ends, there are no findings.
func (l *Pool) Audit(ctx context.Context, b Batch, w *project.Workspace, opts AuditOptions,
	events func(Event)) ([]Result, []diagnostics.AuditFinding) {
	b.Proofs = slices.Clone(b.Proofs)
	for i := range b.Proofs {
		o := &b.Proofs[i].Options
		o.Coverage, o.Explain, o.NoCores = true, true, !opts.Clauses // only clauses ask for needed assumptions
	}
	results := l.Run(ctx, b, events)
	if ctx.Err() != nil {
		return results, nil
	}
	in := diagnostics.AuditInput{Read: ReadSources(b.Root), Known: map[string]bool{}, Elsewhere: map[string][]string{}}
	covered := found.Coverage{}
	under, own := map[string]bool{}, map[string]bool{}
	for i := range results {
		p := &b.Proofs[i]
		audited := diagnostics.AuditedProof{Proof: results[i].Proof}
		if p.Contract {
			audited.Enforced = p.Entry
		}
		in.Proofs = append(in.Proofs, audited)
		if !p.Contract { // the proof of a contract stands in the function's own file
			own[b.Root.Show(p.File)] = true
		}
		for _, u := range p.Sources {
			under[b.Root.Show(u.File)] = true
		}
		for file, lines := range results[i].Covered {
			file = b.Root.Show(file)
			if covered[file] == nil {
				covered[file] = map[int]found.Taken{}
			}
			for line, taken := range lines {
				if covered[file][line] != found.TakenBy {
					covered[file][line] = taken
				}
			}
		}
	}
	for file := range covered { // of files that are included, too
		if b.Root.Find(file) != file && !own[file] {
			under[file] = true
		}
	}
	defined(&in, b, w, own, under)
	in.MinScore = opts.MinScore
	if in.MinScore > 0 {
		in.Strengths = l.strengths(ctx, &b, results)
	}
	in.Doubts = l.specifications(ctx, &b, results, opts.Clauses)
	idle, ci := notRun(w.Root, b.Proofs)
	for _, i := range idle {
		in.Proofs[i].NotRun = true
	}
	if ci != "" {
		in.CI = b.Root.Show(ci)
	}
	in.Accept = accepting(w.Config.AcceptAudits)
	in.Others = map[string]bool{}
	for file := range under {
		if !own[file] {
			in.Sources = append(in.Sources, file)
			in.Others[file] = inOtherRepository(w.Root, b.Root.Find(file))
		}
	}
	slices.Sort(in.Sources)
	in.Covered, in.Defined = covered, compiled(b, w, in.Sources, results)
	return results, diagnostics.Audit(in)
}

// defined collects the functions that the project defines. own are the files of proofs, under those under proof.
func defined(in *diagnostics.AuditInput, b Batch, w *project.Workspace, own, under map[string]bool) {
	folders := map[string]bool{} // folders of the program, not those of its tests
	for i := range b.Proofs {
		for _, u := range b.Proofs[i].Sources {
			folders[filepath.Dir(u.File)] = true
		}
	}
	for _, file := range w.FilesBelow(w.Root) {
		shown := b.Root.Show(file)
		for _, name := range w.DefinedFunctions(file) {
			in.Known[name] = in.Known[name] || !own[shown]
			if !own[shown] && !under[shown] && folders[filepath.Dir(file)] {
				in.Elsewhere[name] = append(in.Elsewhere[name], shown)
			}
		}
		if text, err := project.ReadFile(file); err == nil && contract.Mentions(text) {
			functions, _ := contract.Outline(text)
			for _, f := range functions {
				in.Known[f.Name] = in.Known[f.Name] || f.Body >= 0 && !own[shown]
			}
		}
	}
}

// compiled returns the functions of files that other files can call and that some proof compiles. A file that another
// one includes is no unit: any unit may compile its functions.
func compiled(b Batch, w *project.Workspace, files []string, results []Result) map[string][]string {
	units, any := map[string]map[string]bool{}, map[string]bool{}
	unknown := map[string]bool{} // files of a proof that is not compiled
	for i := range results {
		if results[i].Defined == nil {
			for _, u := range b.Proofs[i].Sources {
				unknown[b.Root.Show(u.File)] = true
			}
		}
		for file, names := range results[i].Defined {
			file = b.Root.Show(file)
			if units[file] == nil {
				units[file] = map[string]bool{}
			}
			for _, name := range names {
				units[file][name], any[name] = true, true
			}
		}
	}
	out := map[string][]string{}
	for _, file := range files {
		path := b.Root.Find(file)
		if project.IsForeign(path) {
			continue
		}
		names, known := units[file]
		if !known {
			names, known = any, !unknown[file]
		}
		for _, name := range w.DefinedFunctions(path) {
			if !known || names[name] {
				out[file] = append(out[file], name)
			}
		}
	}
	return out
}

// inOtherRepository reports whether a file below root is in the work tree of another repository, as a submodule is.
func inOtherRepository(root, file string) bool {
	for dir := filepath.Dir(file); paths.Within(root, dir) && dir != root; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return true
		}
	}
	return false
}

// strengths returns the strengths of the proofs that are proved, by name.
func (l *Pool) strengths(ctx context.Context, b *Batch, results []Result) map[string]*diagnostics.Strength {
	out := map[string]*diagnostics.Strength{}
	for i := range results {
		if results[i].Proof.Verdict != found.Proved || ctx.Err() != nil {
			continue
		}
		s, err := l.Strength(ctx, StrengthRequest{Settings: b.Settings, Proof: b.Proofs[i], Define: b.Define,
			Max: auditMutants})
		if err != nil {
			s = &diagnostics.Strength{Verdict: found.Unknown, Reason: err.Error()}
		}
		out[results[i].Proof.Name] = s
	}
	return out
}

// accepting finds the rule that covers a finding of the audit.
func accepting(rules []project.AcceptAudit) func(*diagnostics.AuditFinding) (string, bool) {
	return func(f *diagnostics.AuditFinding) (string, bool) {
		for _, r := range rules {
			if r.Kind == f.Kind && (r.Function == "" || r.Function == f.Function) {
				return r.Reason, true
			}
		}
		return "", false
	}
}
