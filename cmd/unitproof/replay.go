package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/unitproof/unitproof/cmd/internal/cli"
	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/pipeline/sandbox"
	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/found"
)

// replayFlags are the flags of replay.
type replayFlags struct {
	project project.Flags
	engine  cli.Engine
	noCache bool
	finding string
	json    string
	verbose bool
	save    string
	input   string // the output file for the input of a fuzz target
	build   string
	set     []string // NAME=VALUE of inputs
}

// Exit statuses of replay (contract, section 5).
const (
	exitReproduced    = 0
	exitNotReproduced = 1
	exitNotRun        = 2
)

func replayCommand(std cli.Streams) *cobra.Command {
	var flags replayFlags
	cmd := &cobra.Command{
		Use:   "replay [flags] FILE.c",
		Short: "Run counterexamples natively",
		Long: `replay verifies the unit proofs of a file, builds a native program of the very module that
was verified, with the address and undefined-behaviour sanitizers, and runs it with the inputs
of each counterexample. A counterexample is reproduced when the program violates the same kind
of obligation at the same line.

Exit status: 0 every counterexample is reproduced; 1 one is not; 2 none of these, but one could
not be run, or there is none; 3 the command line is wrong or the proof has an error.`,
		Args: oneFile, ValidArgsFunction: cli.CFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			return replayFile(cmd.Context(), std, &flags, args)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&flags.finding, "finding", "",
		"only the finding with this `ID` (check prints it; the beginning is enough)")
	cli.AddSelection(f, &flags.project)
	cli.AddSettings(f, &flags.project)
	cli.AddEngine(f, &flags.engine)
	f.BoolVar(&flags.noCache, "no-cache", false, "ignore cached results, and cache nothing")
	f.StringVar(&flags.json, "json", "", "write the outcomes as JSON to `FILE`; - is standard output")
	f.StringVar(&flags.save, "save", "", "write a self-contained C `FILE` that reproduces the finding, and run nothing")
	f.StringVar(&flags.input, "save-input", "",
		"write the input of a fuzz target to `FILE`, as libFuzzer and AFL take it")
	f.StringArrayVar(&flags.set, "set", nil,
		"give an input another value first, as C writes it: n=7, 'r={.len = 3}', p=NULL (`NAME=VALUE`;\n"+
			"repeatable; NAME#2 is the second input of this name)")
	f.StringVar(&flags.build, "build", "",
		"build the native program for a debugger, with its inputs in `DIR`, and run nothing")
	f.BoolVarP(&flags.verbose, "verbose", "v", false, "print the reports of the sanitizers, and the times")
	return cmd
}

// replayed is one outcome in the JSON of replay.
type replayed struct {
	Proof   string     `json:"proof"`
	Finding string     `json:"finding"`
	Kind    found.Kind `json:"kind"`
	Message string     `json:"message"` // of the finding
	File    string     `json:"file"`
	Line    int        `json:"line"`
	Outcome string     `json:"outcome"` // reproduced, not-reproduced, not-run
	Detail  string     `json:"detail"`
	Report  string     `json:"report,omitempty"`
	BuildMS int64      `json:"build_ms"`
	RunMS   int64      `json:"run_ms"`
	// Sandbox has the restrictions of the run; nil if there were none.
	Sandbox *sandbox.Confinement `json:"sandbox,omitempty"`
}

// undecidedWhy returns the reason of an unknown proof, or that of its first unknown finding.
func undecidedWhy(p *diagnostics.Proof) string {
	for i := range p.Obligations {
		if f := &p.Obligations[i]; p.Reason == "" && f.Verdict == found.Unknown {
			return f.Reason
		}
	}
	return p.Reason
}

// failures checks the proofs of a call, and returns the failed findings of each.
func failures(ctx context.Context, l *cli.Listed, h *cli.Engine, finding string) (results []pipeline.Result,
	failed [][]diagnostics.Finding, err error) {
	pool := pipeline.NewPool(pipeline.PoolOptions{})
	defer pool.Close()
	results = pool.Run(ctx, l.Batch(h), nil)
	failed = make([][]diagnostics.Finding, len(results))
	var ids []string
	for i, r := range results {
		for _, f := range r.Proof.Obligations {
			if f.Verdict != found.Failed {
				continue
			}
			ids = append(ids, f.ID)
			if finding == "" || len(f.ID) >= len(finding) && f.ID[:len(finding)] == finding {
				failed[i] = append(failed[i], f)
			}
		}
	}
	if finding != "" && !slices.ContainsFunc(failed, func(fs []diagnostics.Finding) bool { return len(fs) > 0 }) {
		if len(ids) == 0 {
			return nil, nil, fmt.Errorf("no finding %s: nothing fails", finding)
		}
		return nil, nil, fmt.Errorf("no failed finding %s; there are %s", finding, strings.Join(ids, ", "))
	}
	return results, failed, nil
}

func replayFile(ctx context.Context, std cli.Streams, flags *replayFlags, args []string) error {
	defer flags.engine.OpenCache(flags.noCache)()
	people := std.Beside(flags.json)
	if err := cli.CheckOutputs(flags.json, flags.save, flags.input); err != nil {
		return err
	}
	l, err := cli.Some(flags.project, &flags.engine, args)
	if err != nil {
		return err
	}
	if err := l.KeepsInputs(flags.json, flags.save, flags.input); err != nil {
		return err
	}
	results, failed, err := failures(ctx, l, &flags.engine, flags.finding)
	if err != nil {
		return err
	}
	checker := pipeline.NewChecker(l.Batch(&flags.engine).Settings)
	defer checker.Close()
	list := []replayed{}
	status := exitReproduced
	broken, changed := false, false
	saving := flags.input
	for i := range results {
		p := &results[i].Proof
		if p.Verdict == found.Error {
			broken = true
			fmt.Fprintf(people, "%s: error: %s\n", p.Name, p.Reason)
			continue
		}
		if len(flags.set) > 0 {
			var holds bool
			if failed[i], holds, err = changedInputs(ctx, people, flags, l, i, failed[i]); err != nil {
				return err
			}
			if changed = changed || holds; holds {
				status = exitNotReproduced
			}
		}
		if len(failed[i]) == 0 {
			continue
		}
		if flags.save != "" || flags.build != "" {
			return prepareReplay(ctx, std, flags, checker, l, i, failed[i][0])
		}
		out := checker.Replay(ctx, pipeline.ReplayRequest{Proof: l.Proofs[i], Findings: failed[i],
			Define: l.Workspace.Definitions, SaveInput: saving})
		if saving != "" {
			if out.Problem != "" {
				return errors.New(out.Problem)
			}
			fmt.Fprintf(people, "%s has the input of finding %s, of %d bytes\n", saving, failed[i][0].ID, out.Input)
			saving = ""
		}
		for k, o := range out.Outcomes {
			f := &failed[i][k]
			list = append(list, replayed{Proof: p.Name, Finding: f.ID, Kind: f.Kind, Message: f.Message, File: f.File,
				Line:    f.Line,
				Outcome: o.Result, Detail: o.Message(), Report: o.Report, BuildMS: o.BuildMS, RunMS: o.RunMS,
				Sandbox: o.Sandbox})
			fmt.Fprintf(people, "%s:%d:%d: [%s] %s\n       = %s\n", diagnostics.ShownName(f.File),
				f.Line, f.Column, f.Kind, f.Message, o.Message())
			if flags.verbose {
				fmt.Fprintf(people, "%s\n       prepared in %d ms, built in %d ms, run in %d ms\n", o.Report, o.Prepared, o.BuildMS,
					o.RunMS)
			}
			switch {
			case o.Result == diagnostics.NotReplayed:
				status = exitNotReproduced
			case o.Result == diagnostics.ReplayNotRun && status == exitReproduced:
				status = exitNotRun
			}
		}
	}
	document := struct {
		Schema   int        `json:"schema"`
		Tool     string     `json:"tool"`
		Outcomes []replayed `json:"outcomes"`
	}{diagnostics.Schema, cli.ToolName(), list}
	if err := cli.WriteJSON(std, flags.json, document); err != nil {
		return err
	}
	switch {
	case ctx.Err() != nil:
		return cli.ExitCode(cli.ExitInterrupted)
	case broken:
		return cli.ExitCode(diagnostics.ExitError)
	case len(list) == 0 && !changed:
		undecided := 0
		for i := range results {
			if p := &results[i].Proof; p.Verdict == found.Unknown {
				undecided++
				fmt.Fprintf(people, "no counterexample: %s is unknown: %s\n", p.Name, undecidedWhy(p))
			}
		}
		if undecided == 0 {
			fmt.Fprintln(people, "no counterexample: nothing fails")
		}
		return cli.ExitCode(exitNotRun)
	case status != exitReproduced:
		return cli.ExitCode(status)
	}
	return nil
}

// changedInputs executes counterexamples with other values for some inputs, and prints the ends of the executions. It
// returns the executions that violate something, and whether another one does not.
func changedInputs(ctx context.Context, people io.Writer, flags *replayFlags, l *cli.Listed, proof int,
	list []diagnostics.Finding) (failing []diagnostics.Finding, holds bool, err error) {
	if len(list) == 0 {
		return nil, false, nil
	}
	p := l.Proofs[proof]
	program, err := pipeline.NewPlayground(ctx, pipeline.Job{Settings: l.Batch(&flags.engine).Settings, Proof: p,
		Define: func(names []string) map[string][]project.Unit { return l.Workspace.Definitions(&p, names) }})
	if err != nil {
		return nil, false, err
	}
	for i := range list {
		f := &list[i]
		var changes []vcgen.Change
		for _, set := range flags.set {
			name, value, ok := strings.Cut(set, "=")
			if !ok {
				return nil, false, fmt.Errorf("--set %s: the form is NAME=VALUE", set)
			}
			input, err := inputNamed(f, strings.TrimSpace(name))
			if err != nil {
				return nil, false, err
			}
			changes = append(changes, vcgen.Change{Input: input, Value: strings.TrimSpace(value)})
		}
		v, err := program.Vary(ctx, f.Run, changes, vcgen.VaryOptions{})
		if err != nil {
			return nil, false, err
		}
		fmt.Fprintf(people, "%s, with %s: %s\n", f.ID, strings.Join(flags.set, ", "), v.Sentence)
		if v.End != diagnostics.VariantFails && v.End != diagnostics.VariantOther {
			holds = true
			continue
		}
		v.Finding.ID = f.ID
		failing = append(failing, v.Finding)
	}
	return failing, holds, nil
}

// inputNamed returns the index of an input with a name, which may end in #K for the K-th of this name.
func inputNamed(f *diagnostics.Finding, name string) (int, error) {
	of, ordinal, _ := strings.Cut(name, "#")
	k := 1
	if ordinal != "" {
		var err error
		if k, err = strconv.Atoi(ordinal); err != nil || k < 1 {
			return 0, fmt.Errorf("--set %s: what follows # is no number", name)
		}
	}
	var names []string
	for i := range f.Inputs {
		in := &f.Inputs[i]
		called := in.Variable
		if called == "" {
			called = in.Function
		}
		if called == of {
			if k--; k == 0 {
				return i, nil
			}
		}
		if !slices.Contains(names, called) {
			names = append(names, called)
		}
	}
	return 0, fmt.Errorf("finding %s has no input %s; it has %s", f.ID, name, strings.Join(names, ", "))
}

// prepareReplay saves a reproducer or builds a program to debug, for the first counterexample that the call selects.
func prepareReplay(ctx context.Context, std cli.Streams, flags *replayFlags, checker *pipeline.Checker, l *cli.Listed,
	proof int, f diagnostics.Finding) error {
	r := pipeline.ReplayRequest{Proof: l.Proofs[proof], Findings: []diagnostics.Finding{f},
		Define: l.Workspace.Definitions, Save: flags.save}
	if flags.build != "" {
		dir, err := filepath.Abs(flags.build)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return fmt.Errorf("the folder for the native program: %w", err)
		}
		r.Save, r.DebugDir = "", dir
	}
	out := checker.Replay(ctx, r)
	switch {
	case out.Problem != "":
		fmt.Fprintf(std.Err, "unitproof: %s\n", out.Problem)
		if out.Unwritten {
			return cli.ExitCode(diagnostics.ExitError)
		}
		return cli.ExitCode(exitNotRun)
	case out.Debug == nil:
		fmt.Fprintf(std.Out, "%s reproduces [%s] %s\nbuild and run it: %s\n", flags.save, f.Kind, f.Message, out.Build)
	case flags.json == "-":
		e := json.NewEncoder(std.Out)
		e.SetIndent("", "  ")
		return e.Encode(out.Debug)
	default:
		return tellDebug(std.Out, r.DebugDir, &out)
	}
	return nil
}

// gdbScript is the file in the folder of --build with the commands for gdb.
const gdbScript = "commands.gdb"

// tellDebug writes instructions for starting the program in a debugger. The commands for gdb are in a file, as the
// environment alone has some hundred characters.
func tellDebug(out io.Writer, dir string, r *pipeline.ReplayResult) error {
	d := r.Debug
	var script strings.Builder
	for _, e := range d.Env {
		fmt.Fprintf(&script, "set environment %s\n", e)
	}
	fmt.Fprintf(&script, "break %s\nrun\n", d.Break)
	path := filepath.Join(dir, gdbScript)
	if err := os.WriteFile(path, []byte(script.String()), 0o644); err != nil {
		return fmt.Errorf("the commands for gdb: %w", err)
	}
	if d.Emulator != "" {
		_, err := fmt.Fprintf(out, "program: %s\nargs:    %s\nenv:     %s\nbreak:   %s\n\nIn one terminal:\n"+
			"  %s -g 1234 %s %s\nin another one:\n"+
			"  gdb-multiarch -ex 'target remote :1234' -ex 'break %s' -ex continue %s\n", d.Program,
			strings.Join(d.Args, " "), strings.Join(d.Env, "\n         "), d.Break, d.Emulator, d.Program,
			strings.Join(d.Args, " "), d.Break, d.Program)
		return err
	}
	_, err := fmt.Fprintf(out, "program: %s\nargs:    %s\nenv:     %s\nbreak:   %s\n\ngdb -x %s --args %s %s\n", d.Program,
		strings.Join(d.Args, " "), strings.Join(d.Env, "\n         "), d.Break, fromHere(path), d.Program,
		strings.Join(d.Args, " "))
	return err
}
