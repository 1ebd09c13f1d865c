package pipeline

import (
	"context"
	"fmt"
	"io"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/smtlib"
)

// Stages are the representations that Dump can print, in the order of the pipeline.
var Stages = []string{"llvm", "sea", "vc", "smt2"}

// Dump prints the representation of a proof at a stage. If the proof does not reach the stage, the first result is the
// proof, with the verdict error or unknown.
func (c *Checker) Dump(ctx context.Context, p project.Proof, define Define, stage string,
	w io.Writer) (*diagnostics.Proof, error) {
	ctx, cancel := context.WithTimeout(ctx, p.Timeout)
	defer cancel()
	b, err := c.build(ctx, &p, define, &Live{})
	if err != nil {
		failed := failedBuild(ctx, &p, c.meta(&p), err)
		return &failed, nil
	}
	if stage == "llvm" {
		_, err := w.Write(b.module.Text)
		return nil, err
	}
	m, err := b.read()
	if err != nil {
		return nil, err
	}
	log, err := vcgen.Dump(ctx, m, p.Start(), engineOptions(&p), newStages(false).solvers(c.settings.Solver, p.MaxMemory))
	if err != nil {
		return nil, err
	}
	switch stage {
	case "sea":
		return nil, log.Dump(w)
	case "vc", "smt2":
		return nil, dumpConditions(log, stage == "smt2", w)
	}
	return nil, fmt.Errorf("unknown stage %q", stage)
}

// dumpConditions prints for each obligation the condition of its violation: the assumptions and obligations before it,
// its guard, and its negated condition. It is a readable form of the engine's queries; the engine settles most
// obligations without a solver.
func dumpConditions(log *seair.Log, script bool, w io.Writer) error {
	c := log.C
	alive := c.True()
	for i := range log.Events {
		e := &log.Events[i]
		if e.Kind == seair.Obligation {
			head := fmt.Sprintf("; %d: %s at %s:%d:%d in %s", i, e.Check, e.Site.Pos.File, e.Site.Pos.Line, e.Site.Pos.Column,
				e.Site.Pos.Function)
			violated := c.And(alive, e.Guard, c.Not(e.Cond))
			if err := dumpCondition(c, head, violated, script, w); err != nil {
				return err
			}
		}
		switch {
		case e.Kind == seair.Axiom, e.Kind == seair.Assume, e.Kind == seair.Obligation && !e.Accepted:
			alive = c.And(alive, c.Implies(e.Guard, e.Cond))
		}
	}
	return nil
}

func dumpCondition(c *smt.Context, head string, violated smt.Term, script bool, w io.Writer) error {
	if !script {
		_, err := fmt.Fprintf(w, "%s\nviolated when %s\n", head, c.String(violated))
		return err
	}
	if _, err := fmt.Fprintf(w, "%s\n(reset)\n", head); err != nil {
		return err
	}
	return smtlib.Write(w, c, []smt.Term{violated})
}
