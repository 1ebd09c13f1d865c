package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/pipeline"
)

// stagesSchema is the version of stagesDocument. Version 1 had cold medians only.
const stagesSchema = 2

// stagesDocument is the output of stages, described in docs/benchmarks.md; two of them can be compared.
type stagesDocument struct {
	Schema  int    `json:"schema"`
	Tool    string `json:"tool"`
	Date    string `json:"date,omitempty"`
	Runs    int    `json:"runs"`
	CPUs    int    `json:"cpus"`
	Machine string `json:"machine,omitempty"`
	// Cold and Warm are sums over all proofs, with one sample for each run.
	Cold   phase         `json:"cold"`
	Warm   phase         `json:"warm"`
	Proofs []stagesProof `json:"proofs"`
}

type stagesProof struct {
	Name        string `json:"name"`
	Verdict     string `json:"verdict"`
	Obligations int    `json:"obligations"`
	Queries     int    `json:"queries"`      // of the solver, cold
	WarmQueries int    `json:"warm_queries"` // of the solver, warm
	Cold        phase  `json:"cold"`
	Warm        phase  `json:"warm"`
}

// phase has the costs of checks under the same conditions: by stage, by group of stages (compile, generate, solve),
// and in total.
type phase struct {
	Stages map[string]*stageCost `json:"stages,omitempty"`
	// MemoryMB is the peak of the resident memory of the worker process, including compilers that run for at least a
	// quarter of a second. In a sum it is the largest.
	MemoryMB *spread `json:"memory_mb,omitempty"`
}

// stageCost is the cost of a stage over the runs.
type stageCost struct {
	WallMS  spread `json:"wall_ms"`
	CPUMS   spread `json:"cpu_ms"`
	AllocMB spread `json:"alloc_mb"` // allocated on Go's heap, mebibytes
	Allocs  spread `json:"allocs"`   // number of allocations
}

// spread is a list of samples.
type spread struct {
	Median  float64   `json:"median"`
	Min     float64   `json:"min"`
	Max     float64   `json:"max"`
	Samples []float64 `json:"samples"` // in the order of the runs
}

func (s *spread) finish() {
	if s == nil || len(s.Samples) == 0 {
		return
	}
	s.Median, s.Min, s.Max = median(s.Samples), slices.Min(s.Samples), slices.Max(s.Samples)
}

// disjoint reports whether all samples of one spread are larger than all of the other.
func (s *spread) disjoint(o *spread) bool { return s.Min > o.Max || s.Max < o.Min }

func median(samples []float64) float64 {
	if len(samples) == 0 {
		return 0
	}
	list := slices.Sorted(slices.Values(samples))
	n := len(list)
	return (list[(n-1)/2] + list[n/2]) / 2
}

// sample is the cost of one check: by stage, with groups and the total.
type sample struct {
	stages map[string]*[4]float64 // milliseconds of wall clock, of CPU, mebibytes, number
	memory float64
}

// sampleOf returns the costs of a result. If the worker reported no stages (it was killed, or is an old one), only
// groups are set.
func sampleOf(r *pipeline.Result) sample {
	s := sample{stages: map[string]*[4]float64{}, memory: float64(r.Proof.Stats.MemoryMB)}
	for _, c := range r.Stages {
		v := [4]float64{round(c.Wall.Seconds() * 1000), round(c.CPU.Seconds() * 1000), round(float64(c.Bytes) / (1 << 20)),
			float64(c.Allocations)}
		group, part, _ := strings.Cut(c.Name, "/")
		if part == "" {
			part = map[string]string{"compile": "units"}[group]
		}
		if part == "" {
			part = "rest"
		}
		s.charge(group+"/"+part, v)
		s.charge(group, v)
		s.charge("total", v)
	}
	if len(r.Stages) == 0 {
		t := r.Proof.Stats
		for name, ms := range map[string]int64{"compile": t.CompileMS, "generate": t.VCGenMS, "solve": t.SolveMS,
			"total": t.TotalMS} {
			s.charge(name, [4]float64{0: float64(ms)})
		}
	}
	return s
}

// round rounds to thousandths; smaller differences are noise.
func round(x float64) float64 { return math.Round(x*1000) / 1000 }

func (s *sample) charge(stage string, v [4]float64) {
	if s.stages == nil {
		s.stages = map[string]*[4]float64{}
	}
	if s.stages[stage] == nil {
		s.stages[stage] = &[4]float64{}
	}
	for i := range v {
		s.stages[stage][i] = round(s.stages[stage][i] + v[i])
	}
}

func (s *sample) add(o sample) {
	for name, v := range o.stages {
		s.charge(name, *v)
	}
	s.memory = max(s.memory, o.memory)
}

// take adds the sample of another run. A stage that did not run has cost 0.
func (p *phase) take(s sample) {
	if p.Stages == nil {
		p.Stages, p.MemoryMB = map[string]*stageCost{}, &spread{}
	}
	runs := len(p.MemoryMB.Samples)
	for name := range s.stages {
		if p.Stages[name] == nil {
			c := &stageCost{}
			for _, column := range c.columns() {
				column.Samples = make([]float64, runs)
			}
			p.Stages[name] = c
		}
	}
	for name, c := range p.Stages {
		v := s.stages[name]
		if v == nil {
			v = &[4]float64{}
		}
		for i, column := range c.columns() {
			column.Samples = append(column.Samples, v[i])
		}
	}
	p.MemoryMB.Samples = append(p.MemoryMB.Samples, s.memory)
}

func (c *stageCost) columns() []*spread {
	return []*spread{&c.WallMS, &c.CPUMS, &c.AllocMB, &c.Allocs}
}

// total returns the total cost, never nil.
func (p *phase) total() *stageCost {
	if c := p.Stages["total"]; c != nil {
		return c
	}
	return &stageCost{}
}

func (p *phase) finish() {
	for _, c := range p.Stages {
		for _, column := range c.columns() {
			column.finish()
		}
	}
	p.MemoryMB.finish()
}

// finish computes the statistics of the samples.
func (d *stagesDocument) finish() {
	d.Cold.finish()
	d.Warm.finish()
	for i := range d.Proofs {
		d.Proofs[i].Cold.finish()
		d.Proofs[i].Warm.finish()
	}
}

// merge adds the runs of another document about the same proofs.
func (d *stagesDocument) merge(o *stagesDocument) error {
	if len(d.Proofs) != len(o.Proofs) {
		return fmt.Errorf("%s finds now %d and now %d proofs", d.Tool, len(d.Proofs), len(o.Proofs))
	}
	d.Runs += o.Runs
	d.Cold.merge(&o.Cold)
	d.Warm.merge(&o.Warm)
	for i := range d.Proofs {
		p, q := &d.Proofs[i], &o.Proofs[i]
		if p.Name != q.Name || p.Verdict != q.Verdict {
			return fmt.Errorf("%s says now that %s is %s, now that %s is %s", d.Tool, p.Name, p.Verdict, q.Name, q.Verdict)
		}
		p.Cold.merge(&q.Cold)
		p.Warm.merge(&q.Warm)
	}
	d.finish()
	return nil
}

func (p *phase) merge(o *phase) {
	if o.MemoryMB == nil {
		return
	}
	for run := range o.MemoryMB.Samples {
		s := sample{stages: map[string]*[4]float64{}, memory: o.MemoryMB.Samples[run]}
		for name, c := range o.Stages {
			v := &[4]float64{}
			for i, column := range c.columns() {
				if run < len(column.Samples) {
					v[i] = column.Samples[run]
				}
			}
			s.stages[name] = v
		}
		p.take(s)
	}
}

// readStages reads a document, also one of version 1.
func readStages(file string) (*stagesDocument, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	doc := &stagesDocument{}
	if err := json.Unmarshal(data, doc); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	switch doc.Schema {
	case stagesSchema:
	case 1:
		if err := doc.readFirst(data); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	default:
		return nil, fmt.Errorf("%s: schema %d of stages, and this program knows 1 and %d", file, doc.Schema, stagesSchema)
	}
	return doc, nil
}

// readFirst converts version 1; its medians become the only samples.
func (d *stagesDocument) readFirst(data []byte) error {
	type costs struct {
		CompileMS float64 `json:"compile_ms"`
		VCGenMS   float64 `json:"vcgen_ms"`
		SolveMS   float64 `json:"solve_ms"`
		TotalMS   float64 `json:"total_ms"`
		MemoryMB  float64 `json:"memory_mb"`
	}
	var old struct {
		Sum    costs   `json:"sum"`
		Proofs []costs `json:"proofs"`
	}
	if err := json.Unmarshal(data, &old); err != nil {
		return err
	}
	phase := func(c costs) (p phase) {
		s := sample{memory: c.MemoryMB}
		for name, ms := range map[string]float64{"compile": c.CompileMS, "generate": c.VCGenMS, "solve": c.SolveMS,
			"total": c.TotalMS} {
			s.charge(name, [4]float64{0: ms})
		}
		p.take(s)
		return p
	}
	d.Cold = phase(old.Sum)
	for i := range d.Proofs {
		d.Proofs[i].Cold = phase(old.Proofs[i])
	}
	d.finish()
	return nil
}
