package randproof

import (
	"context"
	_ "embed"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

//go:embed native/contracts.c
var contractRuntime string

// ContractPlace is an obligation of the proof of a function: of its contract, or of the harness.
type ContractPlace struct {
	Function string
	Place
}

// Contracts is a random program of functions with contracts, a harness that calls them, and the results of native runs.
type Contracts struct {
	Seed uint64
	Text string
	// Inline: calls are executed, rather than replaced by contracts (--contracts inline).
	Inline bool
	// Functions are the proved functions. The value is true if all inputs were tried and nothing was skipped: then a
	// clause that no run violates is true.
	Functions map[string]bool
	// Violated has the first violation of each run, with the inputs of one run. In these runs the function's precondition
	// held, and the functions that it calls kept their contracts.
	Violated map[ContractPlace]string
	Reached  map[ContractPlace]bool
	// True and Changed count the derived clauses as observed, and those with a changed constant.
	True, Changed int
	Runs          int
}

// WriteContracts generates the program of a seed and derives its clauses from native runs. runs is their number for
// each function with too many inputs to try them all.
func WriteContracts(ctx context.Context, tools Tools, dir string, seed uint64, runs int) (*Contracts, error) {
	p := newContracts(seed)
	c := &Contracts{Seed: seed, Inline: seed%5 == 0, Functions: map[string]bool{}, Violated: map[ContractPlace]string{},
		Reached: map[ContractPlace]bool{}}
	first := &contractText{first: true}
	first.render(p)
	saw := map[int]seen{}
	if err := c.run(ctx, tools, dir, first.native.String(), runs, saw); err != nil {
		return nil, err
	}
	p.derive(c, saw)
	clear(c.Violated)
	clear(c.Reached)
	second := &contractText{}
	second.render(p)
	c.Text = second.engine.String()
	c.Runs = 0
	if err := c.run(ctx, tools, dir, second.native.String(), runs, nil); err != nil {
		return nil, err
	}
	for _, f := range p.functions {
		if f.calls && !c.Inline || f.recursive {
			c.Functions[f.name] = false // in a proof a call may do anything that the contract allows
		}
	}
	return c, nil
}

// derive chooses the postconditions, invariants and assertions.
func (p *contractProgram) derive(c *Contracts, saw map[int]seen) {
	r := rand.New(rand.NewPCG(p.seed, 100))
	count := func(clauses []contractClause) []contractClause {
		for i := range clauses {
			if clauses[i].changed {
				c.Changed++
			} else {
				c.True++
			}
		}
		return clauses
	}
	for _, f := range p.functions {
		f.ensures = count(deriveAll(f.observables, saw, 1+r.IntN(4), r))
		for i := range f.body {
			l := &f.body[i]
			if l.loop != nil && l.loop.contract {
				l.loop.invariants = count(deriveAll(l.loop.observables, saw, r.IntN(4), r))
			}
			if l.check != nil {
				if clause := count(deriveAll([]observable{*l.check}, saw, 1, r)); len(clause) > 0 {
					l.clause = &clause[0]
				}
			}
		}
	}
}

// run compiles and runs a native text.
func (c *Contracts) run(ctx context.Context, tools Tools, dir, text string, runs int, saw map[int]seen) error {
	file, program := filepath.Join(dir, "native.c"), filepath.Join(dir, "native")
	if err := os.WriteFile(file, []byte(contractRuntime+text), 0o600); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, tools.Clang, "-std=gnu11", "-O0", "-w", file, "-o", program)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("seed %d does not compile natively: %w\n%s", c.Seed, err, tail(string(out)))
	}
	args := []string{strconv.Itoa(runs)}
	if c.Inline {
		args = append(args, "inline")
	}
	out, err := exec.CommandContext(ctx, program, args...).Output()
	if err != nil {
		return fmt.Errorf("seed %d: the native program failed: %w", c.Seed, err)
	}
	for _, line := range strings.Split(string(out), "\n") {
		f := strings.Fields(line)
		if len(f) < 4 {
			continue
		}
		num := func(i int) int64 { v, _ := strconv.ParseInt(f[i], 10, 64); return v }
		at := func() ContractPlace { return ContractPlace{f[1], Place{int(num(3)), f[2]}} }
		switch f[0] {
		case "saw":
			if saw != nil {
				saw[int(num(1))] = seen{num(2), num(3), num(4)}
			}
		case "reached":
			c.Reached[at()] = true
		case "violated":
			c.Violated[at()] = strings.Join(f[4:], " ")
		case "runs":
			c.Runs += int(num(2))
			c.Functions[f[1]] = f[3] == "complete"
		}
	}
	return nil
}
