package diagnostics

import (
	"path"
	"slices"
	"sort"

	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/diagnostics/phrase"
	"github.com/unitproof/unitproof/diagnostics/source"
	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/language"
)

// ProofMeta is what the engine does not know about a proof.
type ProofMeta struct {
	Name  string
	File  string // of the entry; relative to Root or absolute
	Entry string
	// Root is the folder that paths are made relative to, as an absolute path.
	Root    paths.Root
	Options Options
	// Accept gives the reasons of the [[accept]] rules; which finding is accepted is the
	// engine's answer.
	Accept []Accept
	// Cached: the report was not computed in this run.
	Cached bool
	// WholeTrace: traces have all steps, and are not folded.
	WholeTrace bool
	// Stats holds what the engine cannot measure; Group fills in its counters.
	Stats Stats
}

// Accept is a rule of what is accepted, with its reason.
type Accept struct {
	vcgen.AcceptRule
	Reason string
}

func (m *ProofMeta) proof() Proof {
	return Proof{
		Name: m.Name, File: m.Root.Show(m.File), Entry: m.Entry, Options: m.Options,
		Assumptions: []Assumption{}, Obligations: []Finding{}, Stats: m.Stats,
	}
}

// Group turns the engine's report into a proof with its findings. The same report, sources and
// meta give the same proof. Vacuity is taken from meta.Options; empty means entry.
func Group(report *vcgen.Report, src Sources, meta ProofMeta) Proof {
	p := meta.proof()
	if p.Entry == "" {
		p.Entry = report.Entry
	}
	mode := vcgen.VacuityMode(meta.Options.Vacuity)

	groups := withoutInternal(groupInstances(report.Instances, meta.Root))
	m := &messenger{sources: source.NewCache(src), loops: map[string]place{}, root: meta.Root}
	for _, g := range groups {
		if loop := g.instances[0].Loop; g.key.kind == found.Unwinding && loop != "" {
			if _, seen := m.loops[loop]; !seen {
				m.loops[loop] = place{g.key.file, g.key.line}
			}
		}
	}
	for i := range groups {
		f := groups[i].finding(m, mode, &meta)
		for _, in := range groups[i].instances {
			if report.Stats.Nanoseconds > 0 {
				f.Share += float64(in.Cost) / float64(report.Stats.Nanoseconds)
			}
		}
		p.Obligations = append(p.Obligations, f)
	}
	assignIDs(p.Obligations, m.sources)
	p.Assumptions = assumptions(report, groups, p.Obligations, meta.Root)

	p.Loops = loopsOf(report.Loops, meta.Root)
	p.Verdict, p.Why = proofVerdict(report, p.Obligations, mode)
	p.Why = relativeReason(meta.Root, p.Why)
	p.Reason = phrase.Reason(p.Why)
	if p.Reason == "" && (p.Verdict == found.Unknown || p.Verdict == found.Bounded) {
		p.Reason = phrase.NoReason
	}
	for _, pos := range report.Assumed {
		p.Assumes = append(p.Assumes, m.core([]vcgen.CoreEntry{{Kind: "assume", Pos: pos}})[0].Text)
	}
	m.explain(&p, report.Explained)
	stats := report.Stats
	stats.Unrolled = slices.Clone(stats.Unrolled)
	for i := range stats.Unrolled {
		stats.Unrolled[i].At.File = meta.Root.Show(stats.Unrolled[i].At.File)
	}
	p.Engine = &stats
	if p.Stats.Obligations = stats.Obligations; p.Stats.Obligations == 0 {
		p.Stats.Obligations = len(report.Instances)
	}
	p.Stats.SolverQueries, p.Stats.CacheHits = stats.SolverQueries, stats.CacheHits
	return p
}

// ofContract reports whether a file is the one in which the program lies that contracts become.
func ofContract(file string) bool { return path.Base(file) == language.ContractFile }

// internal reports whether a file is no user's: the program that a contract becomes, or one of our models if no code of
// the user's leads there, such as the one that makes the arguments of main.
func internal(file string) bool { return ofContract(file) || language.IsModelFile(file) }

// withoutInternal leaves out the findings about internal files, which ask nothing of a user: they hold, or rest on
// another finding, or a finding of the user's is open as they are. So no proof becomes green by it.
func withoutInternal(groups []group) []group {
	open := slices.ContainsFunc(groups, func(g group) bool { return !internal(g.key.file) && g.has(openItself) })
	return slices.DeleteFunc(groups, func(g group) bool {
		return internal(g.key.file) && (open || !g.has(openItself)) &&
			!g.has(func(in *vcgen.Instance) bool { return in.Verdict == found.Failed })
	})
}

// openItself reports whether an obligation is bounded, or unknown for a reason that is no other obligation.
func openItself(in *vcgen.Instance) bool {
	return in.Verdict == found.Bounded ||
		in.Verdict == found.Unknown && !in.Reason.Behind() && in.Reason.Why != found.DependsOnPlace
}

func (g *group) has(is func(*vcgen.Instance) bool) bool { return slices.ContainsFunc(g.instances, is) }

// groupKey tells findings apart.
type groupKey struct {
	kind   found.Kind
	file   string
	line   int
	column int
}

func (a groupKey) less(b groupKey) bool {
	switch {
	case a.file != b.file:
		return a.file < b.file
	case a.line != b.line:
		return a.line < b.line
	case a.column != b.column:
		return a.column < b.column
	case a.kind.Order() != b.kind.Order():
		return a.kind.Order() < b.kind.Order()
	}
	return a.kind < b.kind
}

// group is the instances of one finding; indices point into the report.
type group struct {
	key       groupKey
	instances []*vcgen.Instance
	indices   []int
}

// groupInstances collects equal keys, in the order of findings.
func groupInstances(instances []vcgen.Instance, root paths.Root) []group {
	var groups []group
	at := map[groupKey]int{}
	for i := range instances {
		in := &instances[i]
		key := groupKey{in.Kind, root.Show(in.Pos.File), in.Pos.Line, in.Pos.Column}
		g, ok := at[key]
		if !ok {
			g = len(groups)
			at[key] = g
			groups = append(groups, group{key: key})
		}
		groups[g].instances = append(groups[g].instances, in)
		groups[g].indices = append(groups[g].indices, i)
	}
	sort.Slice(groups, func(i, j int) bool { return groups[i].key.less(groups[j].key) })
	return groups
}

// instanceVerdict maps the engine's answer to the words of the finding's table: an unwinding
// obligation does not fail but was cut, and an instance alone is never vacuous.
func instanceVerdict(in *vcgen.Instance) found.Verdict {
	switch in.Verdict {
	case found.Failed:
		if in.Kind == found.Unwinding {
			return found.Bounded
		}
		return found.Failed
	case found.Vacuous:
		return found.Unreached
	case found.Bounded, found.Proved, found.Unreached:
		return in.Verdict
	}
	return found.Unknown
}

// verdict applies the contract's table (section 2); the instance is the one that decides.
func (g *group) verdict(mode vcgen.VacuityMode) (found.Verdict, *vcgen.Instance) {
	// A better witness replaces the first of its verdict: a failure with a counterexample, an
	// unknown with a reason of its own, an unreached one with a core.
	better := func(in, old *vcgen.Instance) bool {
		switch instanceVerdict(in) {
		case found.Failed:
			return in.Counterexample != nil && old.Counterexample == nil
		case found.Unknown:
			return !in.Reason.Behind() && (old.Reason.Behind() || !in.Reason.None() && old.Reason.None())
		case found.Bounded:
			return in.Loop != "" && old.Loop == ""
		case found.Unreached:
			return len(in.Core) > 0 && len(old.Core) == 0
		}
		return false
	}
	witness := map[found.Verdict]*vcgen.Instance{}
	assertion, constFalse := false, true
	for _, in := range g.instances {
		v := instanceVerdict(in)
		if old := witness[v]; old == nil || better(in, old) {
			witness[v] = in
		}
		if !in.ConstFalse {
			constFalse = false
			assertion = assertion || (in.Kind == found.Assertion || in.Kind == found.Postcondition) && in.InEntryFile
		}
	}
	for _, v := range []found.Verdict{found.Failed, found.Unknown, found.Bounded, found.Proved} {
		if in := witness[v]; in != nil {
			return v, in
		}
	}
	in := witness[found.Unreached]
	switch {
	case constFalse:
		return found.Proved, in
	case mode == vcgen.VacuityOff:
		return found.Unreached, in
	case assertion || mode == vcgen.VacuityAll:
		return found.Vacuous, in
	}
	return found.Unreached, in
}

// finding renders a group.
func (g *group) finding(m *messenger, mode vcgen.VacuityMode, meta *ProofMeta) Finding {
	verdict, in := g.verdict(mode)
	f := Finding{
		Kind: g.key.kind, Verdict: verdict,
		File: g.key.file, Line: g.key.line, Column: g.key.column, Function: in.Pos.Function,
		CallPath: callPath(in, meta.Root), Instances: len(g.instances), Cached: meta.Cached || g.cached(),
	}
	f.setRange(m.sources.File(f.File).Range(f.Line, f.Column, PartOf(f.Kind)))
	switch verdict {
	case found.Unknown:
		f.Why = relativeReason(meta.Root, in.Reason)
		if f.Reason = phrase.Reason(f.Why); f.Reason == "" {
			f.Reason = phrase.NoReason
		}
	case found.Bounded:
		f.Why = relativeReason(meta.Root, in.Reason)
		f.Reason = phrase.Reason(f.Why)
		f.Loop, f.Bound = in.Loop, in.Bound
	case found.Vacuous:
		f.VacuityCore = m.core(in.Core)
	case found.Failed:
		f.Replay = ReplayNotRun
		if cex := in.Counterexample; cex != nil {
			f.Run, f.Memory = cex.Run, cex.Memory
			f.Inputs = inputs(cex, meta.Root)
			if f.Trace = m.trace(cex); !meta.WholeTrace {
				f.Trace = foldLoops(f.Trace)
			}
			f.Operands, f.Actual, f.Expected = m.operands(cex)
			f.Related = m.related(cex)
		}
	}
	if f.Kind == found.Unwinding {
		f.Loop, f.Bound = in.Loop, in.Bound
	}
	f.InTheWay = m.obstacle(in.InTheWay, &f, meta)
	f.Message = m.message(&f, in)
	if f.Reported() && g.accepted(verdict) {
		f.Accepted = true
		f.AcceptReason = acceptReason(meta.Accept, f.Kind, g.instances[0].Pos)
	}
	return f
}

// cached: nothing about the instances was computed in this run.
func (g *group) cached() bool {
	for _, in := range g.instances {
		if !in.Cached {
			return false
		}
	}
	return true
}

// accepted: every instance that makes the finding what it is is covered by a rule.
func (g *group) accepted(verdict found.Verdict) bool {
	if verdict == found.Vacuous {
		verdict = found.Unreached
	}
	for _, in := range g.instances {
		if v := instanceVerdict(in); v.Rank() >= found.Vacuous.Rank() || v == verdict {
			if !in.Accepted {
				return false
			}
		}
	}
	return true
}

func acceptReason(rules []Accept, kind found.Kind, at found.Pos) string {
	for _, r := range rules {
		if r.Covers(kind, at, true) {
			return r.Reason
		}
	}
	return ""
}

func callPath(in *vcgen.Instance, root paths.Root) []Frame {
	path := []Frame{}
	frame := func(p found.Pos) {
		if ofContract(p.File) { // the call before it is the one that the user wrote
			return
		}
		path = append(path, Frame{p.Function, root.Show(p.File), p.Line})
	}
	for _, p := range in.Stack {
		frame(p)
	}
	if len(in.Deeper) > 0 {
		frame(in.Pos)
		for _, p := range in.Deeper {
			frame(p)
		}
	}
	return path
}

// inputs are those of a counterexample with paths as they are shown.
func inputs(cex *found.Counterexample, root paths.Root) []found.Input {
	out := slices.Clone(cex.Inputs)
	for i := range out {
		out[i].File, out[i].Pos.Function = root.Show(out[i].File), ""
		if ofContract(out[i].File) {
			out[i].Pos = found.Pos{}
		}
	}
	return out
}

// trace has the steps of a counterexample in words that quote the source.
func (m *messenger) trace(cex *found.Counterexample) []found.Step {
	out := slices.Clone(cex.Trace)
	for i := range out {
		s := &out[i]
		s.Text, s.Value, s.Condition = m.stepSentence(s, m.root)
		s.File, s.Operands = m.root.Show(s.File), nil
	}
	// What a contract's own program does is told at the call, of which it is a part.
	for i := range out {
		if i > 0 && ofContract(out[i].File) {
			out[i].Pos, out[i].Depth, out[i].Function = out[i-1].Pos, out[i-1].Depth, out[i-1].Function
		}
	}
	return out
}

// assumptions renders the report's, equal ones once, with the findings they affect.
func assumptions(report *vcgen.Report, groups []group, findings []Finding, root paths.Root) []Assumption {
	findingOf := map[int]int{} // instance to finding
	for g := range groups {
		for _, i := range groups[g].indices {
			findingOf[i] = g
		}
	}
	type key struct {
		kind, message, file string
		line                int
	}
	out := []Assumption{}
	at := map[key]int{}
	affected := []map[int]bool{}
	for _, a := range report.Assumptions {
		is := relativeAssumption(root, a)
		is.Affects = nil // are findings here
		brief, more := phrase.Assumption(is)
		k := key{is.What.Kind(), brief + phrase.AfterColon(more), is.At.File, is.At.Line}
		n, ok := at[k]
		if !ok {
			n = len(out)
			at[k] = n
			out = append(out, Assumption{Kind: k.kind, Message: k.message, File: k.file, Line: k.line, Affects: []string{},
				Is: is})
			affected = append(affected, map[int]bool{})
		}
		for _, i := range a.Affects {
			if g, ok := findingOf[i]; ok {
				affected[n][g] = true
			}
		}
	}
	for n := range out {
		for g := range findings {
			if affected[n][g] {
				out[n].Affects = append(out[n].Affects, findings[g].ID)
			}
		}
	}
	return out
}

// proofVerdict is the worst of the findings, of what the engine says about the whole, and of
// whether any execution gets to an end. Accepted and unreached findings take no part.
func proofVerdict(report *vcgen.Report, findings []Finding, mode vcgen.VacuityMode) (found.Verdict, found.Reason) {
	verdict, reason := found.Proved, found.Reason{}
	worse := func(v found.Verdict, why found.Reason) {
		if v.Rank() > verdict.Rank() {
			verdict, reason = v, why
		}
	}
	for i := range findings { // what is in the way is told there, and is what its user can do something about
		if f := &findings[i]; f.InTheWay != nil && !f.Accepted {
			worse(f.Verdict, findingReason(f))
		}
	}
	if !report.Reason.None() {
		worse(found.Unknown, report.Reason)
	}
	if !report.Bounded.None() {
		worse(found.Bounded, report.Bounded)
	}
	if mode != vcgen.VacuityOff && !report.EndReached {
		if !report.EndUnknown.None() {
			worse(found.Unknown, found.EndUndecided.Because(report.EndUnknown))
		} else {
			worse(found.Vacuous, found.Reason{Why: found.NoEnd, Name: language.Shown(report.Entry)})
		}
	}
	for pass := range 3 {
		for i := range findings {
			f := &findings[i]
			if f.Accepted || explanatory(f) != pass {
				continue
			}
			worse(f.Verdict, findingReason(f))
		}
	}
	return verdict, reason
}

// explanatory orders equally bad findings: a cut loop and what is unknown for a reason of its own explain the most (0),
// then what depends on such, then what is behind a violation and all others (2).
func explanatory(f *Finding) int {
	if f.Kind == found.Unwinding {
		return 0
	}
	if f.Verdict != found.Unknown || f.Behind() {
		return 2
	}
	if _, depends := f.dependsOn(); depends {
		return 1
	}
	return 0
}

// findingReason is how a finding explains its proof's verdict.
func findingReason(f *Finding) found.Reason {
	by := found.Reason{Why: found.ByFinding, Kind: f.Kind, At: found.Pos{File: f.File, Line: f.Line}}
	switch f.Verdict {
	case found.Unknown, found.Bounded:
		by.Cause = &f.Why
		return by
	case found.Vacuous:
		return by
	}
	return found.Reason{}
}
