package pipeline

import (
	"context"
	"time"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/pipeline/replay"
	"github.com/unitproof/unitproof/vcgen"
)

// ExploreOptions are the options of native runs of a proof.
type ExploreOptions struct {
	Duration time.Duration
	Seed     uint64 // number of the first run
	First    bool   // end with the first violation
	// Virtual has buffers in place of files, by absolute path.
	Virtual map[string][]byte
}

// Explore runs a proof natively with random inputs.
//
// The interpreter confirms each violation, so that the proof's findings are violations as those of Check; it has no
// other findings. The error is why the proof could not be run.
func (c *Checker) Explore(ctx context.Context, p project.Proof, define Define, opts ExploreOptions) (*diagnostics.Proof,
	*replay.Explored, error) {
	meta := c.meta(&p)
	b, err := c.build(ctx, &p, define, &Live{Virtual: opts.Virtual})
	if err != nil {
		failed := failedBuild(ctx, &p, meta, err)
		return &failed, &replay.Explored{}, nil
	}
	meta.Accept = acceptRules(&p)
	m, err := b.read()
	if err != nil {
		return nil, nil, err
	}
	most := 0
	if opts.First {
		most = 1
	}
	found, err := c.explore(ctx, &p, b, replay.Exploration{Program: m, Duration: opts.Duration, Seed: opts.Seed,
		Most: most})
	if err != nil {
		return nil, nil, err
	}
	proof := diagnostics.Group(&vcgen.Report{Entry: p.Entry, Instances: found.Instances, EndReached: true},
		ReadSources(c.settings.Root), meta)
	for i := range proof.Obligations {
		f := &proof.Obligations[i]
		f.Replay, f.ReplayDetail = diagnostics.Replayed, "reproduced: a native run found it"
	}
	return &proof, found, nil
}

// explore runs a built proof natively. e has the options of the exploration.
func (c *Checker) explore(ctx context.Context, p *project.Proof, b *built, e replay.Exploration) (*replay.Explored,
	error) {
	t, err := c.toolchain(ctx, p.Clang)
	if err != nil {
		return nil, err
	}
	if e.Machine, err = replay.MachineOf(e.Program.Layout); err != nil {
		return nil, err
	}
	e.Clang, e.CacheDir, e.Module, e.Entry = t, c.settings.CacheDir, b.module.Text, p.Start()
	e.Options = engineOptions(p)
	return e.Run(ctx)
}
