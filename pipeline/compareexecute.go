package pipeline

import (
	"context"
	"time"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen"
)

// Most versions that differ do so for many inputs, while the formulas of the comparison are too large for its time: a
// pointer of the arguments may lead to a chain of structures. Therefore the program of the comparison is first executed
// with random inputs (vcgen.Execute). This finds differences only.
const (
	executedSize         = 8 // of arrays
	executedInstructions = 60_000_000
	executedTime         = 4 * time.Second // of CPU
)

// inExecutions reports whether random executions show a difference, and sets the answer. Otherwise nothing changes.
func (t *twoVersions) inExecutions(ctx context.Context, c *Checker) (differs bool) {
	out := *t.out
	defer func() {
		if recover() != nil { // a defect of the interpreter, which the check in a worker reports
			differs = false
		}
		if !differs {
			*t.out, t.outside = out, outsideObjects{}
		}
	}()
	return t.execute(ctx, c)
}

func (t *twoVersions) execute(ctx context.Context, c *Checker) bool {
	p, err := t.write(ctx, c, executedSize, nil)
	if err != nil || p.Options.Disable[vcgen.Executions] {
		return false // the next attempt reports the error
	}
	b, err := c.build(ctx, &p, func([]string) map[string][]project.Unit { return nil }, &Live{})
	if err != nil {
		return false
	}
	m, err := b.read()
	if err != nil {
		return false
	}
	timer := &timer{start: time.Now(), cpu: ownTime, began: ownTime()}
	limited, cancel := timer.limit(ctx, min(p.Timeout, executedTime))
	defer cancel()
	var instances []vcgen.Instance
	sources, meta, opts := ReadSources(c.settings.Root), c.meta(&p), engineOptions(&p)
	opts.Found = func(in vcgen.Instance) {
		instances = append(instances, in)
		proof := diagnostics.Group(&vcgen.Report{Entry: p.Entry, Instances: instances, EndReached: true}, sources, meta)
		if t.judge(&proof, executedSize); t.out.Answer == diagnostics.OtherBehaviour {
			cancel()
		}
	}
	vcgen.Execute(limited, m, p.Start(), opts, executedInstructions)
	return t.out.Answer == diagnostics.OtherBehaviour && !t.differsFromItself(ctx, c, executedSize)
}
