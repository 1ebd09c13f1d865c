package diagnostics

import (
	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/found"
)

// Beside is what a Proof holds beyond its JSON: data of which the JSON has the sentences, and what only our own
// programs want. It travels beside the JSON between processes and in caches.
type Beside struct {
	Why      found.Reason          `json:",omitzero"`
	Engine   *vcgen.Stats          `json:",omitempty"`
	Findings map[int]FindingBeside `json:",omitempty"` // by their place in Proof.Obligations
}

// FindingBeside is what a Finding holds beyond its JSON.
type FindingBeside struct {
	Why   found.Reason `json:",omitzero"`
	Run   *found.Run   `json:",omitempty"`
	Share float64      `json:",omitempty"`
	// Conditions are those of Finding.VacuityCore, in its order.
	Conditions []string `json:",omitempty"`
}

// Beside returns what is not in the JSON of a proof.
func (p *Proof) Beside() Beside {
	b := Beside{Why: p.Why, Engine: p.Engine, Findings: map[int]FindingBeside{}}
	for i := range p.Obligations {
		f := &p.Obligations[i]
		x := FindingBeside{Why: f.Why, Share: f.Share}
		if f.Run.Tape != nil {
			x.Run = &f.Run
		}
		for k := range f.VacuityCore {
			x.Conditions = append(x.Conditions, f.VacuityCore[k].Condition)
		}
		if !x.Why.None() || x.Run != nil || x.Share > 0 || x.Conditions != nil {
			b.Findings[i] = x
		}
	}
	return b
}

// Restore puts back what a proof lost on its way through JSON.
func (p *Proof) Restore(b Beside) {
	p.Why, p.Engine = b.Why, b.Engine
	for i := range p.Obligations {
		f, x := &p.Obligations[i], b.Findings[i]
		f.Why, f.Share = x.Why, x.Share
		if x.Run != nil {
			f.Run = *x.Run
		}
		for k := range f.VacuityCore {
			if k < len(x.Conditions) {
				f.VacuityCore[k].Condition = x.Conditions[k]
			}
		}
	}
}
