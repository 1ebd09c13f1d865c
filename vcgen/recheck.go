package vcgen

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/mem"
	"github.com/unitproof/unitproof/vcgen/seair"
)

// explainByChecks determines the assumptions of a proof by checking it again without each of them, one by one. It is
// the only way if no unfolding has all iterations.
func (x *explainer) explainByChecks(out *Explanation) {
	c := &checks{explainer: x, out: out, proved: provedKeys(x.report)}
	for _, at := range assumedPlaces(x.m, x.opts.UserFile) {
		c.entries = append(c.entries, CoreEntry{Kind: found.CoreAssume, Pos: at})
	}
	all := make([]int, len(c.entries))
	for k := range all {
		all[k] = k
	}
	core, undecided := c.shrink(all, all)
	if x.ctx.Err() == nil {
		c.tell(core, undecided == 0)
		c.tellEach(core, undecided == 0)
	}
}

// checks repeats the whole proof without some assumptions.
type checks struct {
	*explainer
	out     *Explanation
	entries []CoreEntry
	proved  map[findingKey]bool
}

// shrink removes candidates from a sufficient core, the last one first, if everything holds without them.
// undecided is the number of undecided ones.
func (c *checks) shrink(core, candidates []int) (final []int, undecided int) {
	for _, k := range slices.Backward(candidates) {
		rest := slices.DeleteFunc(slices.Clone(core), func(j int) bool { return j == k })
		switch c.without(rest) {
		case holdsAnew:
			core = rest
		case recheckOpen:
			undecided++
		}
	}
	return core, undecided
}

// tell stores a core in the explanation.
func (c *checks) tell(core []int, minimal bool) {
	out := c.out
	out.Known, out.Minimal = true, minimal
	out.Needed, out.Spare = []CoreEntry{}, []CoreEntry{}
	for k, e := range c.entries {
		if slices.Contains(core, k) {
			out.Needed = append(out.Needed, e)
		} else {
			out.Spare = append(out.Spare, e)
		}
	}
	sortEntries(out.Needed)
	sortEntries(out.Spare)
	if !c.opts.MallocMayFail && slices.ContainsFunc(c.prog.Memory.Objects, func(o *mem.Object) bool {
		return o.Kind == mem.Heap
	}) {
		is := c.holdsWith(core, true)
		out.MallocFails = is == holdsAnew
		if !out.MallocFails {
			out.Needed = append(out.Needed, CoreEntry{Kind: found.CoreMalloc})
			out.Minimal = out.Minimal && is != recheckOpen
		}
	}
}

// tellEach stores the part of a core that each finding needs: the assumptions without which it is not proved, if they
// suffice alone; otherwise the whole core, which may not be minimal for it.
func (c *checks) tellEach(core []int, minimal bool) {
	need := map[findingKey][]int{}
	unsure := !minimal
	for _, k := range core {
		rest := slices.DeleteFunc(slices.Clone(core), func(j int) bool { return j == k })
		holds, known := c.provedWith(rest)
		if !known {
			unsure = true
		}
		for key := range c.proved {
			if !holds[key] {
				need[key] = append(need[key], k)
			}
		}
	}
	suffice := map[string]map[findingKey]bool{} // the findings proved with a part of the core alone
	for _, key := range slices.SortedFunc(maps.Keys(c.proved), findingKey.compare) {
		part := need[key]
		holds, asked := suffice[fmt.Sprint(part)]
		if !asked && len(part) < len(core) {
			holds, _ = c.provedWith(part)
			suffice[fmt.Sprint(part)] = holds
		}
		f := FindingExplanation{Kind: key.kind, Pos: found.Pos{File: key.file, Line: key.line, Column: key.col},
			Known: true, Minimal: !unsure}
		if len(part) < len(core) && !holds[key] {
			part, f.Minimal = core, false
		}
		for _, k := range part {
			f.Needed = append(f.Needed, c.entries[k])
		}
		sortEntries(f.Needed)
		c.out.Findings = append(c.out.Findings, f)
	}
}

// provedWith returns the findings that are proved with a core only. known: the check was finished.
func (c *checks) provedWith(core []int) (holds map[findingKey]bool, known bool) {
	report, err := c.again(core, c.opts.MallocMayFail, nil)
	if err != nil {
		return nil, false
	}
	return provedKeys(report), true
}

// without checks the proof with a core only.
func (c *checks) without(core []int) recheckResult { return c.holdsWith(core, c.opts.MallocMayFail) }

// recheckResult is the result of checking the whole proof again.
type recheckResult int

const (
	recheckOpen recheckResult = iota // undecided: too much work
	holdsAnew                        // every finding that was proved still is
	failsAnew                        // some finding is no longer proved
)

// holdsWith checks the proof with a core only, and compares the result with the original one.
func (c *checks) holdsWith(core []int, mallocMayFail bool) recheckResult {
	was := map[findingKey]bool{} // findings that were not fine before
	for i := range c.report.Instances {
		if in := &c.report.Instances[i]; !fine(in) {
			was[keyOf(in)] = true
		}
	}
	report, err := c.again(core, mallocMayFail, func(in *Instance) bool { return !fine(in) && !was[keyOf(in)] })
	switch {
	case errors.Is(err, errSpent):
		return recheckOpen
	case err != nil || !report.Reason.None() && c.report.Reason.None() ||
		!report.Bounded.None() && c.report.Bounded.None():
		return failsAnew
	}
	holds := provedKeys(report)
	for key := range c.proved {
		if !holds[key] {
			return failsAnew
		}
	}
	for i := range report.Instances { // no other finding may have become worse
		if in := &report.Instances[i]; !fine(in) && !was[keyOf(in)] {
			return failsAnew
		}
	}
	return holdsAnew
}

// again checks the proof with the assumptions of a core only. It stops with errRefuted at the first violation for
// which enough, if not nil, is true. It returns errSpent if the work exceeds the remaining limit.
func (c *checks) again(core []int, mallocMayFail bool, enough func(*Instance) bool) (*Report, error) {
	if c.remaining <= 0 || c.ctx.Err() != nil {
		return nil, errSpent
	}
	place := func(p found.Pos) found.Pos { return found.Pos{File: p.File, Line: p.Line, Column: p.Column} }
	out := map[found.Pos]bool{}
	for k, e := range c.entries {
		out[place(e.Pos)] = !slices.Contains(core, k)
	}
	ctx, m, stop := metered(c.ctx, min(anewTimes*c.work+anewExtra, c.remaining))
	defer stop(nil)
	opts := c.checked
	opts.MallocMayFail, opts.meter = mallocMayFail, m
	opts.Limits.Used = nil // on a slow machine they would change the work
	opts.drop = func(site *seair.Site) bool { return out[place(c.place(site).pos)] }
	opts.Found = func(in Instance) {
		if enough != nil && enough(&in) {
			stop(errRefuted)
		}
	}
	report, err := c.verify(ctx, opts)
	c.remaining -= m.used
	c.out.work += m.used
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errRefuted):
		return nil, errRefuted
	case cause != nil:
		return nil, errSpent
	}
	return report, err
}

// fine reports whether an instance needs no attention.
func fine(in *Instance) bool {
	return in.Accepted || in.Verdict == found.Proved || in.Verdict == found.Unreached
}
