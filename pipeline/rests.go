package pipeline

import (
	"context"
	"crypto/sha256"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/pipeline/clang"
	"github.com/unitproof/unitproof/pipeline/links"
	"github.com/unitproof/unitproof/pipeline/ondisk"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/ask"
)

// Inputs are all that a result depends on besides the proof's settings, as seen by the check.
type Inputs struct {
	// Files has the SHA-256 of each file, by absolute path. A zero hash is a missing file, whose creation may change the
	// result.
	Files map[string]ondisk.Hash
	// Asked are the functions and variables without a definition in the proof's own files.
	Asked []string
	// Moving reports that a file changed while it was read, so that the text that clang read is unknown.
	Moving bool
}

// Live has the additional parameters of CheckLive: buffers in place of files, and callbacks during the check.
type Live struct {
	Virtual  map[string][]byte // contents in place of files, by absolute path
	Expected []string          // files that the build will probably read, absolute; makes Inputs more precise
	Inputs   func(*Inputs)     // called when the program is built or the build has failed; may be nil
	// Found is called for each violation as soon as it is confirmed; may be nil. The ordinal in the finding's ID may
	// differ from the result's.
	Found func(diagnostics.Finding)

	// where is called every progressInterval with the place where the time goes; may be nil.
	where func(string)

	stage    func(name string) (leave func()) // see stages
	onlyKept bool                             // see Checker.Recall
	keep     []string                         // see Checker.siblings

	memo *ask.Memo // stores the solver's answers if there is no cache; may be nil

	elsewhere bool       // a cluster may do the engine's part
	later     unfinished // for finish, see prepare
}

// progressInterval is the interval at which a check reports where its time goes.
const progressInterval = 250 * time.Millisecond

// locate sets opts.Progress so that the progress of the engine reaches l.where.
func (l *Live) locate(opts *vcgen.Options) {
	if l.where == nil {
		return
	}
	var last time.Time
	opts.Progress = func(where func() string) {
		if time.Since(last) >= progressInterval {
			last = time.Now()
			l.where(where())
		}
	}
}

// streamTo sets opts.Found so that the engine's violations reach l.Found.
func (l *Live) streamTo(opts *vcgen.Options, c *Checker, meta diagnostics.ProofMeta) {
	if l.Found == nil {
		return
	}
	var found []vcgen.Instance
	reported := map[string]bool{}
	opts.Found = func(in vcgen.Instance) {
		// Group all violations found so far, so that their ordinals increase.
		found = append(found, in)
		proof := diagnostics.Group(&vcgen.Report{Entry: meta.Entry, Instances: found, EndReached: true},
			l.sources(c.settings.Root), meta)
		for _, f := range proof.Obligations {
			if !reported[f.ID] {
				reported[f.ID] = true
				l.Found(f)
			}
		}
	}
}

// sources returns the texts that the check reads.
func (l *Live) sources(root paths.Root) diagnostics.Sources {
	disk := ReadSources(root)
	if len(l.Virtual) == 0 {
		return disk
	}
	byReal := map[links.Real][]byte{}
	for path, text := range l.Virtual {
		byReal[links.Resolve(path)] = text
	}
	return func(file string) []byte {
		if text, ok := byReal[links.Resolve(root.Find(file))]; ok {
			return text
		}
		return disk(file)
	}
}

// hashed is the state of a path at a moment.
type hashed struct {
	stamp ondisk.Stamp
	hash  ondisk.Hash
}

// observer determines the contents that a build read: it hashes the files before and after.
type observer struct {
	hashes  *ondisk.Hashes
	virtual map[links.Real]ondisk.Hash // by real path
	real    *links.Memory              // renewed after the build
	before  map[string]hashed
	begin   time.Time
}

// slack is how long before the beginning of a build a change may be dated and still have happened during it: the clock
// of file times is coarse.
const slack = 10 * time.Millisecond

func newObserver(h *ondisk.Hashes, virtual map[string][]byte) *observer {
	o := &observer{hashes: h, virtual: map[links.Real]ondisk.Hash{}, real: new(links.Memory),
		before: map[string]hashed{}, begin: time.Now()}
	for path, text := range virtual {
		o.virtual[links.Resolve(path)] = sha256.Sum256(text)
	}
	return o
}

func (o *observer) look(path string) (hashed, bool) {
	if len(o.virtual) > 0 {
		if hash, ok := o.virtual[o.real.Of(path)]; ok {
			// The state of the disk counts, too, to be safe: folders are read there.
			return hashed{hash: hash, stamp: ondisk.StampOf(path)}, true
		}
	}
	hash, stamp := o.hashes.Of(path)
	return hashed{stamp, hash}, false
}

// expect hashes the files that the build will probably read.
func (o *observer) expect(paths []string) {
	o.begin = time.Now()
	for _, p := range paths {
		if _, known := o.before[p]; !known {
			o.before[p], _ = o.look(p)
		}
	}
}

// inputs hashes the files that a build read. Files that were not expected must be unchanged since shortly before the
// build began.
func (o *observer) inputs(files, absent, present []string) *Inputs {
	o.real = new(links.Memory)
	in := &Inputs{Files: make(map[string]ondisk.Hash, len(files)+len(absent))}
	recent := o.begin.Add(-slack).UnixNano()
	own := ""
	if dir, err := clang.Headers(); err == nil {
		own = filepath.Join(dir, "unitproof.h")
	}
	for _, path := range slices.Concat(files, absent) {
		now, virtual := o.look(path)
		if path == own && !virtual {
			// This header is part of the program, which writes it before each build. Otherwise programs of different versions
			// would make each other's results stale forever.
			in.Moving = in.Moving || now.hash != sha256.Sum256(clang.Header())
			continue
		}
		if before, known := o.before[path]; known {
			in.Moving = in.Moving || before != now
		} else {
			in.Moving = in.Moving || now.stamp.Changed >= recent
		}
		o.before[path] = now
		in.Files[path] = now.hash
	}
	for _, path := range absent {
		in.Moving = in.Moving || in.Files[path] != ondisk.Hash{}
	}
	for _, path := range present {
		now, virtual := o.look(path)
		before, known := o.before[path]
		in.Moving = in.Moving || known && before.stamp.Inode != now.stamp.Inode || !known && !virtual &&
			now.stamp.Changed >= recent
		o.before[path] = now
	}
	return in
}

// maxRebuilds bounds the rebuilds of a program whose files change during the build.
const maxRebuilds = 3

// buildLive is build that also reports its inputs.
func (c *Checker) buildLive(ctx context.Context, p *project.Proof, define Define, live *Live) (*built, error) {
	if live.Inputs == nil {
		return c.build(ctx, p, define, live)
	}
	o := newObserver(&c.hashes, live.Virtual)
	expected := append(slices.Clone(live.Expected), p.EntryUnit.File)
	named := []string{p.EntryUnit.File}
	for _, u := range slices.Concat(p.Sources, p.Overrides) {
		expected = append(expected, u.File)
		named = append(named, u.File)
	}
	for try := 1; ; try++ {
		o.expect(expected)
		var asked []string
		attempt := *p
		b, err := c.build(ctx, &attempt, func(names []string) map[string][]project.Unit {
			if define == nil {
				return nil
			}
			asked = append(asked, names...)
			return define(names)
		}, live)
		var wrong *clang.CompileError
		var in *Inputs
		switch {
		case err == nil:
			in = o.inputs(b.module.Files, b.module.Absent, b.module.Present)
		case errors.As(err, &wrong):
			in = o.inputs(slices.Concat(named, wrong.Files), wrong.Absent, wrong.Present)
		default:
			in = o.inputs(named, nil, nil)
		}
		if in.Moving && try < maxRebuilds && ctx.Err() == nil {
			expected = slices.AppendSeq(expected[:0:0], maps.Keys(in.Files))
			continue
		}
		*p = attempt
		if define != nil {
			slices.Sort(asked)
			in.Asked = slices.Compact(asked)
		}
		live.Inputs(in)
		return b, err
	}
}
