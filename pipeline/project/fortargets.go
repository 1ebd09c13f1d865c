package project

import (
	"slices"
)

// forTargets returns the proof once for each machine of its settings, or the proof itself if they have none.
func (p Proof) forTargets() []Proof {
	if len(p.Targets) == 0 {
		return []Proof{p}
	}
	var out []Proof
	for i, t := range p.Targets {
		if slices.Contains(p.Targets[:i], t) {
			continue
		}
		q := p
		q.Name, q.Target = p.Name+"@"+t, t
		flag := "--target=" + t
		q.EntryUnit = p.EntryUnit.with(flag)
		q.Sources, q.Overrides = withFlag(p.Sources, flag), withFlag(p.Overrides, flag)
		q.SourceCandidates = withFlag(p.SourceCandidates, flag)
		out = append(out, q)
	}
	return out
}

// with returns the unit with a further flag.
func (u Unit) with(flag string) Unit {
	u.Flags = append(slices.Clip(u.Flags), flag)
	return u
}

func withFlag(units []Unit, flag string) []Unit {
	var out []Unit
	for _, u := range units {
		out = append(out, u.with(flag))
	}
	return out
}
