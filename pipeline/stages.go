package pipeline

import (
	"context"
	"runtime/metrics"
	"strings"
	"time"

	"github.com/unitproof/unitproof/pipeline/solver"
	"github.com/unitproof/unitproof/vcgen/ask"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// StageCost is what one stage of a check cost, without the stages that ran inside it.
type StageCost struct {
	// Name is a group of Stats (compile, generate, solve), alone or followed by a part: "generate/unfold".
	Name  string
	Calls int
	Wall  time.Duration
	// CPU is that of this process and of the compilers that it waited for, on all processors; Bytes and Allocations are
	// what was asked from Go's heap. They are 0 unless Settings.Measure is set, and count for the whole process: who wants
	// to know checks one proof at a time.
	CPU                time.Duration
	Bytes, Allocations uint64
}

// stages measures a check. Stages nest; only one goroutine enters and leaves them.
type stages struct {
	detailed bool
	cost     map[string]*StageCost
	order    []*StageCost
	stack    []*StageCost
	last     reading
	samples  []metrics.Sample
}

// reading is what the clocks show.
type reading struct {
	at           time.Time
	cpu          time.Duration
	bytes, count uint64
}

// newStages begins to measure. What happens outside all stages counts for the one called "other".
func newStages(detailed bool) *stages {
	s := &stages{detailed: detailed, cost: map[string]*StageCost{}}
	if detailed {
		s.samples = []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}, {Name: "/gc/heap/allocs:objects"}}
	}
	s.last = s.read()
	s.push("other")
	return s
}

func (s *stages) read() reading {
	r := reading{at: time.Now()}
	if !s.detailed {
		return r
	}
	r.cpu = ownTime()
	metrics.Read(s.samples)
	r.bytes, r.count = s.samples[0].Value.Uint64(), s.samples[1].Value.Uint64()
	return r
}

// charge gives what was spent since the last call to the stage under way.
func (s *stages) charge() {
	now := s.read()
	c := s.stack[len(s.stack)-1]
	c.Wall += now.at.Sub(s.last.at)
	c.CPU += now.cpu - s.last.cpu
	c.Bytes += now.bytes - s.last.bytes
	c.Allocations += now.count - s.last.count
	s.last = now
}

func (s *stages) push(name string) {
	c := s.cost[name]
	if c == nil {
		c = &StageCost{Name: name}
		s.cost[name] = c
		s.order = append(s.order, c)
	}
	c.Calls++
	s.stack = append(s.stack, c)
}

// enter begins a stage; what it returns ends it. The signature is that of the hooks of vcgen, clang and solver.
func (s *stages) enter(name string) (leave func()) {
	s.charge()
	s.push(name)
	depth := len(s.stack)
	return func() {
		s.charge()
		s.stack = s.stack[:depth-1]
	}
}

// costs ends the measurement and lists the stages in the order in which they were entered first.
func (s *stages) costs() []StageCost {
	s.charge()
	list := make([]StageCost, len(s.order))
	for i, c := range s.order {
		list[i] = *c
	}
	return list
}

// millis sums the wall-clock time of a group so far.
func (s *stages) millis(group string) int64 {
	s.charge()
	var sum time.Duration
	for _, c := range s.order {
		if name, _, _ := strings.Cut(c.Name, "/"); name == group {
			sum += c.Wall
		}
	}
	return sum.Milliseconds()
}

// solvers makes solvers whose time counts for the stages of the group solve.
func (s *stages) solvers(kind string, memory int64) ask.NewSolver {
	return func(c *smt.Context) (smt.Solver, error) {
		back, err := solver.New(kind, c, solver.Options{MemoryMB: int(memory >> 20),
			Search: func() func() { return s.enter("solve/search") }})
		if err != nil {
			return nil, err
		}
		return &measuredSolver{back, s}, nil
	}
}

// measuredSolver tells the stages when a solver is at work: outside its search it converts terms.
type measuredSolver struct {
	smt.Solver
	stages *stages
}

func (m *measuredSolver) Check(ctx context.Context, assumptions []smt.Term, steps int64) smt.Result {
	defer m.stages.enter("solve/encode")()
	return m.Solver.Check(ctx, assumptions, steps)
}
