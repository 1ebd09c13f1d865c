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

// Parsed is a flag whose value is parsed as it is read, so that the error for an invalid value names the flag.
type Parsed struct {
	set      func(string) error
	typeName string
	text     string
	All      []string // all values in the arguments
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

// AddParsed registers a flag that set parses.
func AddParsed(f *pflag.FlagSet, name, typeName, usage string, set func(string) error) {
	f.Var(&Parsed{set: set, typeName: typeName}, name, usage)
}

// AddSelection registers the flags that select proofs.
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
	AddParsed(f, "shard-times", "FILE", "times of proofs, for --shard: results of an earlier run (--json, --results)",
		func(s string) (err error) {
			p.Shard.Times, err = readTimes(s)
			return err
		})
}

// AddSettings registers the flags for compiling and checking: those of the keys of unitproof.toml.
func AddSettings(f *pflag.FlagSet, p *project.Flags) {
	for _, flag := range project.SettingFlags() {
		f.VarP(&Parsed{set: func(s string) error { return flag.Set(p, s) }, typeName: flag.Type}, flag.Name, flag.Short,
			flag.Usage)
		if flag.Type == "" { // it has no value
			f.Lookup(flag.Name).NoOptDefVal = "true"
		}
		if flag.Values != nil {
			Offer(f, flag.Name, flag.Values...)
		}
	}
}

// AddEngine registers hidden flags for measurements of the engine.
func AddEngine(f *pflag.FlagSet, h *Engine) {
	AddParsed(f, "disable", "MECHANISM", "switch off a part of the engine (repeatable)", func(s string) error {
		m, err := vcgen.ParseMechanism(s)
		h.Disable = append(h.Disable, m)
		return err
	})
	f.StringVar(&h.Solver, "solver", "", "the `KIND` of solver: cadical, z3, smtlib:COMMAND")
	for _, name := range []string{"disable", "solver"} {
		f.Lookup(name).Hidden = true
	}
}

// Engine has the settings of the engine that do not depend on the proof.
type Engine struct {
	Disable  []vcgen.Mechanism
	Solver   string
	CacheDir string // not a flag: the cache folder; "" for none
	// CacheReadOnly disables writing to the cache.
	CacheReadOnly bool
	// Far are the flags for other machines; see FarOf.
	Far Far
}

// AddRemote registers the flags of a shared cache.
func AddRemote(f *pflag.FlagSet, h *Engine) {
	AddParsed(f, "remote-cache", "URL", "a cache that machines share, http:// or https:// as bazel-remote serves it",
		func(s string) error {
			h.Far.Cache.URL = s
			return remote.CheckURL(s)
		})
	f.BoolVar(&h.Far.Cache.Write, "remote-write", false, "also write results of this machine to it")
}

// AddCluster registers the flags of a cluster that executes checks.
func AddCluster(f *pflag.FlagSet, h *Engine) {
	c := &h.Far.Cluster
	AddParsed(f, "remote", "URL", "a build cluster that executes the checks, grpc:// or grpcs:// (Remote Execution API)",
		func(s string) error {
			c.URL = s
			return remote.CheckClusterURL(s)
		})
	AddParsed(f, "remote-storage", "URL", "the address of the storage of that cluster, if it differs",
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
	AddParsed(f, "remote-jobs", "N", fmt.Sprintf("how many proofs run there at the same time (default %d)",
		remote.DefaultJobs), func(s string) (err error) {
		if c.Jobs, err = strconv.Atoi(s); err == nil && c.Jobs < 1 {
			err = errors.New("must be 1 or more")
		}
		return err
	})
}

// OpenCache sets the cache folder, unless off; the returned function ends its use. Without a user cache folder,
// nothing is cached.
func (h *Engine) OpenCache(off bool) (done func()) {
	dir, err := pipeline.CacheDir()
	if off || err != nil {
		return func() {}
	}
	h.CacheDir = dir
	return cache.Open(dir, cache.Options{ReadOnly: h.CacheReadOnly}).Trim
}

// Apply sets the hidden flags in a proof's options.
func (h *Engine) Apply(p *project.Proof) {
	for _, name := range h.Disable {
		if p.Options.Disable == nil {
			p.Options.Disable = map[vcgen.Mechanism]bool{}
		}
		p.Options.Disable[name] = true
	}
}

// readTimes returns the durations of proofs from the JSON of a run.
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
