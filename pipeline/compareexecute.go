package pipeline

import (
	"context"
	"time"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/pipeline/replay"
	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/clangir"
)

// Most versions that differ do so for many inputs, while the formulas of the comparison are too large for its time: a
// pointer of the arguments may lead to a chain of structures. Therefore the program of the comparison is first executed
// with random inputs: natively (replay.Exploration), or by the interpreter if that is impossible. This only finds
// differences. The interpreter repeats each of them.
const (
	executedSize         = 8 // of arrays
	executedInstructions = 60_000_000
	executedTime         = 4 * time.Second // of CPU, of the interpreter
	nativeTime           = 4 * time.Second
	nativeTimeOfItself   = nativeTime / 2 // for the version before and itself
	// nativeDifferences ends the native executions. The first one may depend on memory that was never written.
	nativeDifferences = 12
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
	if !t.execute(ctx, c, nil) {
		return false
	}
	shown, made, product, outside := *t.out, t.made, t.product, t.outside
	*t.out = out
	if t.execute(ctx, c, t.Revision.Texts) { // its cause is the comparison
		return false
	}
	*t.out, t.made, t.product, t.outside = shown, made, product, outside
	return true
}

// execute executes the comparison, and reports whether there is a difference. texts are contents that replace files of
// the version after.
func (t *twoVersions) execute(ctx context.Context, c *Checker, texts map[string][]byte) bool {
	p, err := t.write(ctx, c, executedSize, texts, true)
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
	sources, meta, opts := ReadSources(c.settings.Root), c.meta(&p), engineOptions(&p)
	differs := func(instances ...vcgen.Instance) bool {
		proof := diagnostics.Group(&vcgen.Report{Entry: p.Entry, Instances: instances, EndReached: true}, sources, meta)
		t.judge(&proof, executedSize)
		return t.out.Answer == diagnostics.OtherBehaviour
	}
	if shown, ran := t.natively(ctx, c, &p, b, m, texts != nil, differs); ran {
		return shown
	}
	var instances []vcgen.Instance
	timer := &timer{start: time.Now(), cpu: ownTime, began: ownTime()}
	limited, cancel := timer.limit(ctx, min(p.Timeout, executedTime))
	defer cancel()
	opts.Found = func(in vcgen.Instance) {
		if instances = append(instances, in); differs(instances...) {
			cancel()
		}
	}
	vcgen.Execute(limited, m, p.Start(), opts, executedInstructions)
	return t.out.Answer == diagnostics.OtherBehaviour
}

// natively executes the comparison natively, and reports whether there is a difference. The user did not ask to run the
// code: unless the sandbox has all its guarantees, ran is false.
func (t *twoVersions) natively(ctx context.Context, c *Checker, p *project.Proof, b *built, m *clangir.Module,
	itself bool, differs func(...vcgen.Instance) bool) (shown, ran bool) {
	if r, err := emptyRun(ctx); err != nil || len(r.Missing) > 0 {
		return false, false
	}
	duration := nativeTime
	if itself {
		duration = nativeTimeOfItself
	}
	t.varied = true
	defer func() { t.varied = false }()
	runs, err := c.explore(ctx, p, b, replay.Exploration{Program: m, Duration: min(p.Timeout, duration), CPU: true,
		Most: nativeDifferences, Aside: t.runtimeFile(),
		Found: func(in vcgen.Instance, again func(unwritten byte) *vcgen.Instance) bool {
			shown = differs(in) && t.whatever(again, differs)
			return shown
		}})
	return shown, err == nil && runs.Impossible == ""
}

// whatever reports whether the difference of the answer, with its values, stays the same with other bytes in memory
// that was never written.
func (t *twoVersions) whatever(again func(unwritten byte) *vcgen.Instance,
	differs func(...vcgen.Instance) bool) bool {
	first := *t.out
	for _, unwritten := range []byte{0xff, 0xa5} {
		in := again(unwritten)
		if in == nil || !differs(*in) {
			return false
		}
		a, b := &first.Differences[0], &t.out.Differences[0]
		if a.What != b.What || a.Before != b.Before || a.After != b.After {
			return false
		}
	}
	*t.out = first
	return true
}
