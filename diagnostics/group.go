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

// ProofMeta is the data about a proof that the engine does not have.
type ProofMeta struct {
	Name  string
	File  string // of the entry; relative to Root or absolute
	Entry string
	// Root is the folder to which paths are made relative, as an absolute path.
	Root    paths.Root
	Options Options
	// Accept has the reasons of the [[accept]] rules. The engine decides which findings they cover.
	Accept []Accept
	// Cached reports that the report comes from a cache.
	Cached bool
	// WholeTrace requests traces with all steps, without folding.
	WholeTrace bool
	// Stats has the measurements that the engine cannot make; Group adds the engine's counters.
	Stats Stats
}

// Accept is a rule that accepts findings, with its reason.
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

// Group turns the engine's report into a proof with its findings. It is deterministic in report, sources and meta. An
// empty meta.Options.Vacuity means entry.
func Group(report *vcgen.Report, src Sources, meta ProofMeta) Proof {
	p := meta.proof()
	if p.Entry == "" {
		p.Entry = report.Entry
	}
	mode := vcgen.VacuityMode(meta.Options.Vacuity)

	groups := withoutInternal(groupInstances(report.Instances, meta.Root))
	m := &messenger{sources: source.NewCache(src), loops: map[string]fileLine{}, root: meta.Root}
	for _, g := range groups {
		if loop := g.instances[0].Loop; g.key.kind == found.Unwinding && loop != "" {
			if _, seen := m.loops[loop]; !seen {
				m.loops[loop] = fileLine{g.key.file, g.key.line}
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
	for i := range p.Loops {
		p.Loops[i].Cut = slices.ContainsFunc(p.Obligations, func(f Finding) bool {
			return f.Kind == found.Unwinding && f.Verdict == found.Bounded && f.Loop == p.Loops[i].Loop
		})
	}
	p.Verdict, p.Why = proofVerdict(report, p.Obligations, mode)
	if p.Verdict == found.Failed && p.Why.None() && !report.Reason.None() {
		p.Why = found.RestUndecided.Because(report.Reason)
	}
	p.Why = relativeReason(meta.Root, p.Why)
	p.Reason = phrase.Reason(p.Why)
	if p.Reason == "" && (p.Verdict == found.Unknown || p.Verdict == found.Bounded) {
		p.Reason = phrase.NoReason
	}
	for _, pos := range report.Assumed {
		p.Assumes = append(p.Assumes, m.core([]vcgen.CoreEntry{{Kind: found.CoreAssume, Pos: pos}})[0].Text)
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
	p.NotDone = p.notDone()
	return p
}

// ofContract reports whether a file is the program generated from contracts.
func ofContract(file string) bool { return path.Base(file) == language.ContractFile }

// internal reports whether a file is not the user's: the program generated from contracts, or a model of unitproof
// that no code of the user calls, such as the one that makes the arguments of main.
func internal(file string) bool { return ofContract(file) || language.IsModelFile(file) }

// withoutInternal drops the findings about internal files, on which a user cannot act. A failed one is kept, and so
// is an undecided one unless a finding of the user's files is undecided too. Hence no proof becomes green by
// dropping.
func withoutInternal(groups []group) []group {
	open := slices.ContainsFunc(groups, func(g group) bool { return !internal(g.key.file) && g.has(openItself) })
	return slices.DeleteFunc(groups, func(g group) bool {
		return internal(g.key.file) && (open || !g.has(openItself)) &&
			!g.has(func(in *vcgen.Instance) bool { return in.Verdict == found.Failed })
	})
}

// openItself reports whether an obligation is bounded, or unknown for a reason other than another obligation.
func openItself(in *vcgen.Instance) bool {
	return in.Verdict == found.Bounded ||
		in.Verdict == found.Unknown && !in.Reason.Behind() && in.Reason.Why != found.DependsOnPlace
}

func (g *group) has(is func(*vcgen.Instance) bool) bool { return slices.ContainsFunc(g.instances, is) }

// groupKey identifies a finding.
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

// group is the instances of one finding; indices are their positions in the report.
type group struct {
	key       groupKey
	instances []*vcgen.Instance
	indices   []int
}

// groupInstances groups instances by key, in the order of findings.
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

// instanceVerdict maps the engine's verdict of an instance to that of a finding: an unwinding obligation that fails
// is a cut loop, hence bounded, and a vacuous instance is only unreached.
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

// verdict combines the verdicts of the instances (contract, section 2), and returns the decisive instance.
func (g *group) verdict(mode vcgen.VacuityMode) (found.Verdict, *vcgen.Instance) {
	// A better witness replaces the first of its verdict: a failure with a counterexample, an unknown instance with a
	// reason of its own, an unreached one with a core.
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

// finding returns the finding of a group.
func (g *group) finding(m *messenger, mode vcgen.VacuityMode, meta *ProofMeta) Finding {
	verdict, in := g.verdict(mode)
	f := Finding{
		Kind: g.key.kind, CWE: g.key.kind.CWE(), Verdict: verdict,
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

// cached reports whether all instances come from a cache.
func (g *group) cached() bool {
	for _, in := range g.instances {
		if !in.Cached {
			return false
		}
	}
	return true
}

// accepted reports whether rules cover every instance that contributes to the finding's verdict.
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
		if ofContract(p.File) { // the call before it is in the user's code
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

// inputs returns the inputs of a counterexample with relative paths.
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

// trace returns the steps of a counterexample with sentences that quote the source.
func (m *messenger) trace(cex *found.Counterexample) []found.Step {
	out := slices.Clone(cex.Trace)
	for i := range out {
		s := &out[i]
		s.Text, s.Value, s.Condition = m.stepSentence(s, m.root)
		s.File, s.Operands = m.root.Show(s.File), nil
	}
	// Steps of the program generated from contracts are attributed to the call that has the contract.
	for i := range out {
		if i > 0 && ofContract(out[i].File) {
			out[i].Pos, out[i].Depth, out[i].Function = out[i-1].Pos, out[i-1].Depth, out[i-1].Function
		}
	}
	return out
}

// assumptions returns the assumptions of the report without duplicates, each with the findings that it affects.
func assumptions(report *vcgen.Report, groups []group, findings []Finding, root paths.Root) []Assumption {
	findingOf := map[int]int{} // by index of the instance
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
		is.Affects = nil // Affects is a list of findings here
		if is.What == found.ShortInputs {
			is.Missed = unreached(findings)
		}
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

// unreached returns the number of findings that no execution reaches.
func unreached(findings []Finding) (n int) {
	for i := range findings {
		if findings[i].Verdict == found.Unreached {
			n++
		}
	}
	return n
}

// proofVerdict returns the worst verdict of the findings and of the engine about the whole program; a proof without
// an execution that ends is vacuous. Accepted and unreached findings are ignored.
func proofVerdict(report *vcgen.Report, findings []Finding, mode vcgen.VacuityMode) (found.Verdict, found.Reason) {
	verdict, reason := found.Proved, found.Reason{}
	worse := func(v found.Verdict, why found.Reason) {
		if v.Rank() > verdict.Rank() {
			verdict, reason = v, why
		}
	}
	for i := range findings { // an obstacle of an induction is the most useful reason for its user
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

// explanatory ranks equally bad findings by how much they explain: 0 for a cut loop or a finding that is unknown for
// a reason of its own, 1 for one that depends on such, 2 for one behind a violation and for all others.
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

// findingReason returns the reason with which a finding explains its proof's verdict.
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
