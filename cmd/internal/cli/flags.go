package cli

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/cache"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/pipeline/remote"
	"github.com/unitproof/unitproof/vcgen"
)

// Parsed is a flag whose value is understood while it is read, so that a wrong one is named
// together with the flag.
type Parsed struct {
	set      func(string) error
	typeName string
	text     string
	All      []string // every value that was given
}

func (p *Parsed) String() string { return p.text }
func (p *Parsed) Type() string   { return p.typeName }
func (p *Parsed) Set(s string) error {
	if err := p.set(s); err != nil {
		return err
	}
	p.text, p.All = s, append(p.All, s)
	return nil
}

// AddParsed registers a flag that set reads.
func AddParsed(f *pflag.FlagSet, name, typeName, usage string, set func(string) error) {
	f.Var(&Parsed{set: set, typeName: typeName}, name, usage)
}

// AddSelection registers the flags that pick proofs.
func AddSelection(f *pflag.FlagSet, p *project.Flags) {
	f.StringVar(&p.Entry, "entry", "", "the `NAME` of the entry, when it is not found by its name")
	f.StringVar(&p.ConfigFile, "config", "", "the `FILE` to read instead of unitproof.toml")
	f.StringVar(&p.Input, "input", "",
		"the `FILE` with the only input that a fuzz target is called with: a crash, or an entry of a corpus")
	AddParsed(f, "filter", "REGEXP", "only the proofs whose names match", func(s string) (err error) {
		p.Filter, err = regexp.Compile(s)
		return err
	})
	AddParsed(f, "shard", "I/N", "the I-th of N parts of the proofs", func(s string) (err error) {
		p.Shard.Index, p.Shard.Of, err = parseShard(s)
		return err
	})
	AddParsed(f, "shard-times", "FILE", "what proofs took, for --shard: results of an earlier run (--json, --results)",
		func(s string) (err error) {
			p.Shard.Times, err = readTimes(s)
			return err
		})
}

// AddSettings registers the flags that say what is compiled and how it is checked: those of the keys of unitproof.toml.
func AddSettings(f *pflag.FlagSet, p *project.Flags) {
	for _, flag := range project.SettingFlags() {
		f.VarP(&Parsed{set: func(s string) error { return flag.Set(p, s) }, typeName: flag.Type}, flag.Name, flag.Short,
			flag.Usage)
		if flag.Values != nil {
			Offer(f, flag.Name, flag.Values...)
		}
	}
}

// AddEngine registers what measurements of the engine need.
func AddEngine(f *pflag.FlagSet, h *Engine) {
	AddParsed(f, "disable", "MECHANISM", "switch a part of the engine off (repeatable)", func(s string) error {
		m, err := vcgen.ParseMechanism(s)
		h.Disable = append(h.Disable, m)
		return err
	})
	f.StringVar(&h.Solver, "solver", "", "the `KIND` of solver: cadical, z3, smtlib:COMMAND")
	for _, name := range []string{"disable", "solver"} {
		f.Lookup(name).Hidden = true
	}
}

// Engine is how the engine is run, whatever is checked.
type Engine struct {
	Disable  []vcgen.Mechanism
	Solver   string
	CacheDir string // not a flag: where results are kept, "": nowhere
	// CacheReadOnly adds nothing to what is kept.
	CacheReadOnly bool
	// Far is what flags say of other machines; see FarOf.
	Far Far
}

// AddRemote registers the flags of a cache that machines share.
func AddRemote(f *pflag.FlagSet, h *Engine) {
	AddParsed(f, "remote-cache", "URL", "a cache that machines share, http:// or https:// as bazel-remote serves it",
		func(s string) error {
			h.Far.Cache.URL = s
			return remote.CheckURL(s)
		})
	f.BoolVar(&h.Far.Cache.Write, "remote-write", false, "also put there what is found out here")
}

// AddCluster registers the flags of machines that execute checks.
func AddCluster(f *pflag.FlagSet, h *Engine) {
	c := &h.Far.Cluster
	AddParsed(f, "remote", "URL", "a build cluster that executes the checks, grpc:// or grpcs:// (Remote Execution API)",
		func(s string) error {
			c.URL = s
			return remote.CheckClusterURL(s)
		})
	AddParsed(f, "remote-storage", "URL", "where that cluster keeps files and results, if not at the same address",
		func(s string) error {
			c.Storage = s
			return remote.CheckClusterURL(s)
		})
	var properties []string
	AddParsed(f, "remote-platform", "NAME=VALUE", "a property that its workers have to have (repeatable)",
		func(s string) error {
			properties = append(properties, s)
			c.Platform = remote.SortPlatform(properties)
			return remote.CheckProperty(s)
		})
	AddParsed(f, "remote-jobs", "N", fmt.Sprintf("how many proofs are there at the same time (default %d)",
		remote.DefaultJobs), func(s string) (err error) {
		if c.Jobs, err = strconv.Atoi(s); err == nil && c.Jobs < 1 {
			err = errors.New("a number from 1 on is wanted")
		}
		return err
	})
}

// OpenCache decides where results are kept, unless off; the function it returns ends the use. Without
// a folder to keep things in, nothing is kept.
func (h *Engine) OpenCache(off bool) (done func()) {
	dir, err := pipeline.CacheDir()
	if off || err != nil {
		return func() {}
	}
	h.CacheDir = dir
	return cache.Open(dir, cache.Options{ReadOnly: h.CacheReadOnly}).Trim
}

// Apply puts the hidden flags into a proof's options.
func (h *Engine) Apply(p *project.Proof) {
	for _, name := range h.Disable {
		if p.Options.Disable == nil {
			p.Options.Disable = map[vcgen.Mechanism]bool{}
		}
		p.Options.Disable[name] = true
	}
}

// readTimes reads what proofs took from the JSON of a run.
func readTimes(file string) (map[string]int64, error) {
	doc, err := ReadResults(file)
	if err != nil {
		return nil, err
	}
	times := map[string]int64{}
	for _, p := range doc.Proofs {
		times[p.Name] = p.Stats.TotalMS
	}
	return times, nil
}

func parseShard(s string) (index, of int, err error) {
	left, right, _ := strings.Cut(s, "/")
	i, err1 := strconv.Atoi(left)
	n, err2 := strconv.Atoi(right)
	if err1 != nil || err2 != nil || i < 1 || n < i {
		return 0, 0, errors.New("not of the form I/N with 1 ≤ I ≤ N")
	}
	return i, n, nil
}
