package pipeline

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/found"
)

// Playground is the program of a proof, whose executions are repeated with other inputs. The interpreter executes them
// in this process; the solver has no part in it. It may be used by several goroutines.
type Playground struct {
	mu     sync.Mutex // one execution at a time
	m      *clangir.Module
	start  string
	opts   vcgen.Options
	meta   diagnostics.ProofMeta
	source diagnostics.Sources
}

// NewPlayground compiles a proof, usually from the cache.
func NewPlayground(ctx context.Context, j Job) (*Playground, error) {
	checker := NewChecker(j.Settings)
	defer checker.Close()
	p := j.Proof
	b, err := checker.build(ctx, &p, j.Define, &Live{Virtual: j.Virtual})
	if err != nil {
		return nil, fmt.Errorf("the program could not be built again: %w", err)
	}
	m, err := b.read()
	if err != nil {
		return nil, fmt.Errorf("the program could not be read: %w", err)
	}
	disk := ReadSources(j.Settings.Root)
	source := func(file string) []byte {
		if text, ok := j.Virtual[j.Settings.Root.Find(file)]; ok {
			return text
		}
		return disk(file)
	}
	return &Playground{m: m, start: p.Start(), opts: engineOptions(&p), meta: checker.meta(&p), source: source}, nil
}

// Vary repeats an execution with other values for some of its inputs. The error is a sentence for the user.
func (p *Playground) Vary(ctx context.Context, run found.Run, changes []vcgen.Change, with vcgen.VaryOptions) (
	*diagnostics.Variant, error) {
	if len(run.Tape) == 0 {
		return nil, errors.New("no execution of it is at hand")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	v, err := vcgen.Vary(ctx, p.m, p.start, p.opts, run, changes, with)
	if err != nil {
		return nil, err
	}
	meta := p.meta
	meta.WholeTrace = with.Whole
	out := diagnostics.ShowVariant(v, p.source, meta)
	return &out, nil
}

// Others finds executions that fail like a counterexample and take other branches, at most most of them.
func (p *Playground) Others(ctx context.Context, run found.Run, seeds []found.Run, most int) ([]found.Run, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return vcgen.Others(ctx, p.m, p.start, p.opts, run, seeds, most)
}
