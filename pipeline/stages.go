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

// StageCost is the cost of one stage of a check, without nested stages.
type StageCost struct {
	// Name is a group of Stats (compile, generate, solve), alone or followed by a part: "generate/unfold".
	Name  string
	Calls int
	Wall  time.Duration
	// CPU is the CPU time of this process and of its ended compilers; Bytes and Allocations are the allocations on Go's
	// heap. They are 0 without Settings.Measure. They count for the whole process: measurements need one proof at a time.
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

// reading is a reading of the clocks and counters.
type reading struct {
	at           time.Time
	cpu          time.Duration
	bytes, count uint64
}

// newStages begins to measure. Time outside all stages counts for the stage "other".
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

// charge adds the costs since the last call to the current stage.
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

// enter begins a stage; leave ends it. The signature is that of the hooks of vcgen, clang and solver.
func (s *stages) enter(name string) (leave func()) {
	s.charge()
	s.push(name)
	depth := len(s.stack)
	return func() {
		s.charge()
		s.stack = s.stack[:depth-1]
	}
}

// costs ends the measurement and returns the stages in the order in which they were first entered.
func (s *stages) costs() []StageCost {
	s.charge()
	list := make([]StageCost, len(s.order))
	for i, c := range s.order {
		list[i] = *c
	}
	return list
}

// millis returns the wall-clock time of a group so far.
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

// solvers returns a constructor of solvers whose time counts for the stages of the group solve.
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

// measuredSolver measures a solver: outside of its search it converts terms.
type measuredSolver struct {
	smt.Solver
	stages *stages
}

func (m *measuredSolver) Check(ctx context.Context, assumptions []smt.Term, steps int64) smt.Result {
	defer m.stages.enter("solve/encode")()
	return m.Solver.Check(ctx, assumptions, steps)
}
