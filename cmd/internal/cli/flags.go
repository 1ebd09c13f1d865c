package cli

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/cache"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen/found"
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

// optional makes a setter of a parser for flags that distinguish "not given".
func optional[T any](target **T, parse func(string) (T, error)) func(string) error {
	return func(s string) error {
		v, err := parse(s)
		if err == nil {
			*target = &v
		}
		return err
	}
}

// AddSelection registers the flags that pick proofs.
func AddSelection(f *pflag.FlagSet, p *project.Flags) {
	f.StringVar(&p.Entry, "entry", "", "the `NAME` of the entry, when it is not found by its name")
	f.StringVar(&p.ConfigFile, "config", "", "the `FILE` to read instead of unitproof.toml")
	AddParsed(f, "filter", "REGEXP", "only the proofs whose names match", func(s string) (err error) {
		p.Filter, err = regexp.Compile(s)
		return err
	})
	AddParsed(f, "shard", "I/N", "the I-th of N parts of the proofs", func(s string) (err error) {
		p.Shard, err = parseShard(s)
		return err
	})
}

// AddSettings registers the flags that say what is compiled and how it is checked.
func AddSettings(f *pflag.FlagSet, p *project.Flags) {
	f.StringArrayVar(&p.Sources, "source", nil, "a further C `FILE` to link (repeatable)")
	f.StringArrayVar(&p.RemoveBodies, "remove-body", nil, "a `FUNCTION` whose definition in the linked files does not count (repeatable)")
	f.StringArrayVar(&p.Overrides, "override", nil, "a C `FILE` whose definitions replace the linked ones (repeatable)")
	f.StringArrayVarP(&p.Includes, "include", "I", nil, "a `DIR` to search for headers (repeatable)")
	f.StringArrayVarP(&p.Defines, "define", "D", nil, "define a macro, `NAME[=V]` (repeatable)")
	f.StringArrayVar(&p.CFlags, "cflag", nil, "a further `FLAG` for the compiler (repeatable)")
	AddParsed(f, "unwind", "N|FUNCTION#K=N", "how often loops, or the K-th loop of a function, may run; 0, the default: automatic (repeatable)", func(s string) error {
		loop, bound, err := project.ParseUnwind(s)
		switch {
		case err != nil:
			return err
		case loop == "":
			p.Unwind = &bound
		default:
			if p.Loops == nil {
				p.Loops = map[string]int{}
			}
			p.Loops[loop] = bound
		}
		return nil
	})
	AddParsed(f, "timeout", "DUR", fmt.Sprintf("time for one proof, a backstop (default %ds)", int(project.DefaultTimeout.Seconds())), optional(&p.Timeout, parseTimeout))
	AddParsed(f, "max-memory", "SIZE", fmt.Sprintf("memory for one proof, like 2G (default %dG)", project.DefaultMaxMemory>>30), optional(&p.MaxMemory, project.ParseSize))
	check := func(on bool) func(string) error {
		return func(s string) error {
			kind, err := project.ParseKind(s)
			if err != nil {
				return err
			}
			if p.Checks == nil {
				p.Checks = map[found.Kind]bool{}
			}
			p.Checks[kind] = on
			return nil
		}
	}
	AddParsed(f, "check", "KIND", "look for this kind of violation, too; \"unitproof explain\" lists them (repeatable)", check(true))
	AddParsed(f, "no-check", "KIND", "do not look for this kind of violation (repeatable)", check(false))
	AddParsed(f, "vacuity", "entry|all|off", "which unreachable obligations are reported (default entry)", optional(&p.Vacuity, project.ParseVacuity))
	AddParsed(f, "malloc-may-fail", "BOOL", "whether malloc may return NULL (default true)", optional(&p.MallocMayFail, parseBool))
	AddParsed(f, "nondet-static", "BOOL", "whether variables that are not constant start with any value, whatever their initialisers say (default false)", optional(&p.NondetStatic, parseBool))
	AddParsed(f, "missing-body", "havoc|pure|error", "what a called function without a body does (default havoc)", optional(&p.MissingBody, project.ParseMissingBody))
}

// AddEngine registers what measurements of the engine need.
func AddEngine(f *pflag.FlagSet, h *Engine) {
	f.StringArrayVar(&h.Disable, "disable", nil, "switch a `MECHANISM` of the engine off")
	f.StringVar(&h.Solver, "solver", "", "the `KIND` of solver: cadical, z3, smtlib:COMMAND")
	for _, name := range []string{"disable", "solver"} {
		f.Lookup(name).Hidden = true
	}
}

// Engine is how the engine is run, whatever is checked.
type Engine struct {
	Disable  []string
	Solver   string
	CacheDir string // not a flag: where results are kept, "": nowhere
	// CacheReadOnly adds nothing to what is kept.
	CacheReadOnly bool
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
			p.Options.Disable = map[string]bool{}
		}
		p.Options.Disable[name] = true
	}
}

func parseTimeout(s string) (time.Duration, error) { return project.ParseTimeout(s) }

func parseBool(s string) (bool, error) {
	b, err := strconv.ParseBool(s)
	if err != nil {
		return false, fmt.Errorf("%q is neither true nor false", s)
	}
	return b, nil
}

func parseShard(s string) ([2]int, error) {
	left, right, _ := strings.Cut(s, "/")
	i, err1 := strconv.Atoi(left)
	n, err2 := strconv.Atoi(right)
	if err1 != nil || err2 != nil || i < 1 || n < i {
		return [2]int{}, errors.New("not of the form I/N with 1 ≤ I ≤ N")
	}
	return [2]int{i, n}, nil
}
