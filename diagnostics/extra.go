package diagnostics

import (
	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/found"
)

// Beside is the data of a Proof that its JSON lacks: data that the JSON renders as sentences, and data for
// unitproof's own programs only. It accompanies the JSON between processes and in caches.
type Beside struct {
	Why      found.Reason          `json:",omitzero"`
	Engine   *vcgen.Stats          `json:",omitempty"`
	Findings map[int]FindingBeside `json:",omitempty"` // by index in Proof.Obligations
	// Assumptions and Lacks belong to Proof.Assumptions and Proof.Errors, in the same order.
	Assumptions []found.Assumption `json:",omitempty"`
	Lacks       []found.Lack       `json:",omitempty"`
	Explained   bool               `json:",omitempty"`
	Conditions  []string           `json:",omitempty"` // of the proof's core
	Assumes     []string           `json:",omitempty"`
	OneValue    []OneValue         `json:",omitempty"`
	Chooses     bool               `json:",omitempty"`
}

// FindingBeside is the data of a Finding that its JSON lacks.
type FindingBeside struct {
	Why    found.Reason  `json:",omitzero"`
	Run    *found.Run    `json:",omitempty"`
	Share  float64       `json:",omitempty"`
	Memory *found.Memory `json:",omitempty"`
	// Condition, Values and Related are the fields of Finding.
	Condition, Values string    `json:",omitempty"`
	Related           []Related `json:",omitempty"`
	// Conditions holds CoreEntry.Condition of each entry of coreEntries, in that order.
	Conditions []string `json:",omitempty"`
}

// Beside returns the data of a proof that its JSON lacks.
func (p *Proof) Beside() Beside {
	b := Beside{Why: p.Why, Engine: p.Engine, Explained: p.explained, Assumes: p.Assumes,
		OneValue: p.OneValue, Chooses: p.Chooses,
		Findings: map[int]FindingBeside{}}
	for i := range p.Obligations {
		if x := p.Obligations[i].Beside(); !x.empty() {
			b.Findings[i] = x
		}
	}
	b.Conditions = conditionsOf(p.Core.entries())
	for i := range p.Assumptions {
		b.Assumptions = append(b.Assumptions, p.Assumptions[i].Is)
	}
	for i := range p.Errors {
		b.Lacks = append(b.Lacks, p.Errors[i].Lacks)
	}
	return b
}

// Restore sets the fields of a proof that its JSON lacks.
func (p *Proof) Restore(b Beside) {
	p.Why, p.Engine, p.explained, p.Assumes = b.Why, b.Engine, b.Explained, b.Assumes
	p.OneValue, p.Chooses = b.OneValue, b.Chooses
	restoreConditions(p.Core.entries(), b.Conditions)
	for i := range min(len(p.Assumptions), len(b.Assumptions)) {
		p.Assumptions[i].Is = b.Assumptions[i]
	}
	for i := range min(len(p.Errors), len(b.Lacks)) {
		p.Errors[i].Lacks = b.Lacks[i]
	}
	for i := range p.Obligations {
		p.Obligations[i].Restore(b.Findings[i])
	}
}

// Beside returns the data of a finding that its JSON lacks.
func (f *Finding) Beside() FindingBeside {
	x := FindingBeside{Why: f.Why, Share: f.Share, Memory: f.Memory, Condition: f.Condition,
		Values: f.Values, Related: f.Related}
	if f.Run.Tape != nil {
		x.Run = &f.Run
	}
	x.Conditions = conditionsOf(f.coreEntries())
	return x
}

func (x *FindingBeside) empty() bool {
	return x.Why.None() && x.Run == nil && x.Share == 0 && x.Conditions == nil && x.Condition == "" && x.Related == nil &&
		x.Memory == nil
}

// Restore sets the fields of a finding that its JSON lacks.
func (f *Finding) Restore(x FindingBeside) {
	f.Why, f.Share, f.Condition, f.Values, f.Related = x.Why, x.Share, x.Condition, x.Values, x.Related
	f.Memory = x.Memory
	if x.Run != nil {
		f.Run = *x.Run
	}
	restoreConditions(f.coreEntries(), x.Conditions)
}

// coreEntries returns the entries of the finding's cores: VacuityCore, then Core.
func (f *Finding) coreEntries() (list []*CoreEntry) {
	for k := range f.VacuityCore {
		list = append(list, &f.VacuityCore[k])
	}
	return append(list, f.Core.entries()...)
}

func (c *ProofCore) entries() (list []*CoreEntry) {
	if c == nil {
		return nil
	}
	for k := range c.Needed {
		list = append(list, &c.Needed[k])
	}
	for k := range c.NotNeeded {
		list = append(list, &c.NotNeeded[k])
	}
	return list
}

func conditionsOf(entries []*CoreEntry) (conditions []string) {
	for _, e := range entries {
		conditions = append(conditions, e.Condition)
	}
	return conditions
}

func restoreConditions(entries []*CoreEntry, conditions []string) {
	for k := range min(len(entries), len(conditions)) {
		entries[k].Condition = conditions[k]
	}
}
