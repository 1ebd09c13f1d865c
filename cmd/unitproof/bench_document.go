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

// benchSchema is the version of benchDocument. Version 1 had cold medians only.
const benchSchema = 2

// benchDocument is what bench writes; two of them can be compared. docs/benchmarks.md describes it.
type benchDocument struct {
	Schema  int    `json:"schema"`
	Tool    string `json:"tool"`
	Date    string `json:"date,omitempty"`
	Runs    int    `json:"runs"`
	CPUs    int    `json:"cpus"`
	Machine string `json:"machine,omitempty"`
	// Cold and Warm are sums over all proofs, one sample a run.
	Cold   benchPhase   `json:"cold"`
	Warm   benchPhase   `json:"warm"`
	Proofs []benchProof `json:"proofs"`
}

type benchProof struct {
	Name        string     `json:"name"`
	Verdict     string     `json:"verdict"`
	Obligations int        `json:"obligations"`
	Queries     int        `json:"queries"`      // of the solver, cold
	WarmQueries int        `json:"warm_queries"` // the same, warm
	Cold        benchPhase `json:"cold"`
	Warm        benchPhase `json:"warm"`
}

// benchPhase is what checks cost under the same conditions: by stage; by group of stages (compile, generate, solve); in total.
type benchPhase struct {
	Stages map[string]*benchCost `json:"stages,omitempty"`
	// MemoryMB is the peak of the resident memory of the worker process, with its compilers where it was at work for a quarter of a second; of a
	// sum, the largest.
	MemoryMB *spread `json:"memory_mb,omitempty"`
}

// benchCost is the cost of a stage over the runs.
type benchCost struct {
	WallMS  spread `json:"wall_ms"`
	CPUMS   spread `json:"cpu_ms"`
	AllocMB spread `json:"alloc_mb"` // asked from Go's heap, mebibytes
	Allocs  spread `json:"allocs"`   // how often
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

// apart tells whether all samples of one are larger than all of the other.
func (s *spread) apart(o *spread) bool { return s.Min > o.Max || s.Max < o.Min }

func median(samples []float64) float64 {
	if len(samples) == 0 {
		return 0
	}
	list := slices.Sorted(slices.Values(samples))
	n := len(list)
	return (list[(n-1)/2] + list[n/2]) / 2
}

// benchSample is what one check cost: by stage, with groups and the total.
type benchSample struct {
	stages map[string]*[4]float64 // milliseconds, milliseconds, mebibytes, number
	memory float64
}

// sampleOf takes the costs of a result. A worker that was killed, or an older one, tells of none: the groups remain.
func sampleOf(r *pipeline.Result) benchSample {
	s := benchSample{stages: map[string]*[4]float64{}, memory: float64(r.Proof.Stats.MemoryMB)}
	for _, c := range r.Stages {
		v := [4]float64{round(c.Wall.Seconds() * 1000), round(c.CPU.Seconds() * 1000), round(float64(c.Bytes) / (1 << 20)), float64(c.Allocations)}
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
		for name, ms := range map[string]int64{"compile": t.CompileMS, "generate": t.VCGenMS, "solve": t.SolveMS, "total": t.TotalMS} {
			s.charge(name, [4]float64{0: float64(ms)})
		}
	}
	return s
}

// round keeps what was measured and drops what is noise: a thousandth.
func round(x float64) float64 { return math.Round(x*1000) / 1000 }

func (s *benchSample) charge(stage string, v [4]float64) {
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

func (s *benchSample) add(o benchSample) {
	for name, v := range o.stages {
		s.charge(name, *v)
	}
	s.memory = max(s.memory, o.memory)
}

// take adds the sample of one more run. A stage that did not run cost nothing.
func (p *benchPhase) take(s benchSample) {
	if p.Stages == nil {
		p.Stages, p.MemoryMB = map[string]*benchCost{}, &spread{}
	}
	runs := len(p.MemoryMB.Samples)
	for name := range s.stages {
		if p.Stages[name] == nil {
			c := &benchCost{}
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

func (c *benchCost) columns() []*spread {
	return []*spread{&c.WallMS, &c.CPUMS, &c.AllocMB, &c.Allocs}
}

// total is the cost of everything, never nil.
func (p *benchPhase) total() *benchCost {
	if c := p.Stages["total"]; c != nil {
		return c
	}
	return &benchCost{}
}

func (p *benchPhase) finish() {
	for _, c := range p.Stages {
		for _, column := range c.columns() {
			column.finish()
		}
	}
	p.MemoryMB.finish()
}

// finish works out what follows from the samples.
func (d *benchDocument) finish() {
	d.Cold.finish()
	d.Warm.finish()
	for i := range d.Proofs {
		d.Proofs[i].Cold.finish()
		d.Proofs[i].Warm.finish()
	}
}

// merge adds the runs of another document about the same proofs.
func (d *benchDocument) merge(o *benchDocument) error {
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

func (p *benchPhase) merge(o *benchPhase) {
	if o.MemoryMB == nil {
		return
	}
	for run := range o.MemoryMB.Samples {
		s := benchSample{stages: map[string]*[4]float64{}, memory: o.MemoryMB.Samples[run]}
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

// readBench reads a document, also one of version 1.
func readBench(file string) (*benchDocument, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	doc := &benchDocument{}
	if err := json.Unmarshal(data, doc); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	switch doc.Schema {
	case benchSchema:
	case 1:
		if err := doc.readFirst(data); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	default:
		return nil, fmt.Errorf("%s: schema %d of bench, and this program knows 1 and %d", file, doc.Schema, benchSchema)
	}
	return doc, nil
}

// readFirst takes the medians of version 1 for the only samples.
func (d *benchDocument) readFirst(data []byte) error {
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
	phase := func(c costs) (p benchPhase) {
		s := benchSample{memory: c.MemoryMB}
		for name, ms := range map[string]float64{"compile": c.CompileMS, "generate": c.VCGenMS, "solve": c.SolveMS, "total": c.TotalMS} {
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
