package dap

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	protocol "github.com/google/go-dap"

	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/project"
)

// launchConfig has the arguments of a launch request (docs/debugging.md).
type launchConfig struct {
	Program string   `json:"program"` // the C file with the proof
	Entry   string   `json:"entry"`   // its entry; "" for the first that fails
	Finding string   `json:"finding"` // ID of the finding; "" for the first that fails
	Config  string   `json:"config"`  // replaces unitproof.toml
	Args    []string `json:"args"`    // flags of `unitproof check`
	Cwd     string   `json:"cwd"`     // base of relative paths; "" for the folder of the program
	// StopOnEntry stops at the beginning instead of the violation.
	StopOnEntry bool `json:"stopOnEntry"`
	NoCache     bool `json:"noCache"`
}

func (s *session) launch(r *protocol.LaunchRequest) error {
	if s.debuggee != nil {
		return errors.New("this session already shows a counterexample: start another session")
	}
	if len(r.Arguments) == 0 {
		r.Arguments = json.RawMessage("{}")
	}
	if err := json.Unmarshal(r.Arguments, &s.config); err != nil {
		return fmt.Errorf("the launch configuration is not understood: %w", err)
	}
	d, err := s.open()
	if err != nil {
		if s.ctx.Err() != nil {
			return errors.New("the check was cancelled")
		}
		return err
	}
	s.debuggee, s.run = d, d.Run
	s.reply(r, &protocol.LaunchResponse{})
	s.event("initialized", &protocol.InitializedEvent{})
	return nil
}

// open checks the proof that the configuration selects, and records its counterexample.
func (s *session) open() (*pipeline.Debuggee, error) {
	c := &s.config
	if c.Program == "" {
		return nil, errors.New(`the launch configuration needs "program": the C file with the unit proof`)
	}
	if c.Cwd == "" && filepath.IsAbs(c.Program) {
		c.Cwd = filepath.Dir(c.Program)
	} else if c.Cwd == "" {
		c.Cwd, _ = os.Getwd()
	}
	if !filepath.IsAbs(c.Program) {
		c.Program = filepath.Join(c.Cwd, c.Program)
	}
	if info, err := os.Stat(c.Program); err != nil {
		return nil, fmt.Errorf("the program: %w", err)
	} else if info.IsDir() {
		return nil, fmt.Errorf("%s is a folder: \"program\" is the C file with the unit proof", c.Program)
	}
	var flags project.Flags
	if len(c.Args) > 0 {
		if s.opts.ParseArgs == nil {
			return nil, errors.New(`"args" are not supported here`)
		}
		var err error
		if flags, err = s.opts.ParseArgs(c.Args); err != nil {
			return nil, fmt.Errorf(`"args": %w`, err)
		}
	}
	if c.Entry != "" {
		flags.Entry = c.Entry
	}
	if c.Config != "" {
		flags.ConfigFile = c.Config
	}
	w, err := project.Open(c.Cwd, flags)
	if err != nil {
		return nil, err
	}
	proofs, err := pipeline.DebugProofs(w, c.Program, c.Entry)
	if err != nil {
		return nil, err
	}
	settings := pipeline.Settings{Root: paths.Root(w.Root), CacheDir: s.opts.CacheDir}
	if c.NoCache {
		settings.CacheDir = ""
	}
	// Without an entry the first proof with a matching finding is taken.
	var first error
	for i := range proofs {
		p := proofs[i]
		job := pipeline.Job{Settings: settings, Proof: p}
		if len(p.SourceCandidates) > 0 {
			job.Define = func(names []string) map[string][]project.Unit { return w.Definitions(&p, names) }
		}
		d, err := s.opts.Pool.Debug(s.ctx, job, c.Finding)
		if err == nil {
			return d, nil
		}
		if first == nil {
			first = err
		}
		if s.ctx.Err() != nil {
			break
		}
	}
	return nil, first
}

// start sends the first stop, after the client has set its breakpoints.
func (s *session) start() {
	if s.started {
		return
	}
	s.started = true
	f := s.debuggee.Finding
	s.output("console", fmt.Sprintf("%s: %s at %s:%d: %s\nThe execution has %d steps of the machine. Step back from "+
		"here. A data breakpoint on a variable, and Reverse, finds its last write; so does :last EXPR in the console.\n",
		s.debuggee.Proof.Name, f.Kind, f.File, f.Line, f.Message, s.run.Len()))
	if s.run.First() > 0 {
		s.output("important", fmt.Sprintf("Only the last %d of them can be visited: the run is too long to record it "+
			"whole.\n",
			s.run.Len()-s.run.First()))
	}
	if s.config.StopOnEntry {
		s.goTo(s.beginning(), stop{reason: "entry", description: "The beginning"})
		return
	}
	s.goTo(s.run.End(), s.violation())
}
