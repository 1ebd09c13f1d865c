package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/unitproof/unitproof/cmd/internal/cli"
	"github.com/unitproof/unitproof/cmd/unitproof-bench/cbmc"
	"github.com/unitproof/unitproof/pipeline/project"
)

// cbmcDocument is the JSON output of cbmc, described in docs/benchmarks.md.
type cbmcDocument struct {
	Schema  int         `json:"schema"`
	Tool    string      `json:"tool"`
	CBMC    string      `json:"cbmc"`
	Date    string      `json:"date"`
	Runs    int         `json:"runs"`
	CPUs    int         `json:"cpus"`
	Machine string      `json:"machine"`
	Proofs  []cbmcProof `json:"proofs"`
	// Whole is the cost of one command that checked all proofs, one after the other.
	Whole   twoCosts    `json:"whole"`
	Summary cbmcSummary `json:"summary"`
}

type cbmcProof struct {
	Name        string   `json:"name"`
	Verdict     string   `json:"verdict"`
	CBMCVerdict string   `json:"cbmc_verdict"` // proved, bounded, failed, timeout, unreadable
	Reason      string   `json:"reason,omitempty"`
	Unwind      int      `json:"unwind,omitempty"`  // loop bound of cbmc
	Dropped     []string `json:"dropped,omitempty"` // compiler options that were not passed to cbmc
	// called functions without a body for cbmc: they return anything and write nothing
	NoBody []string `json:"no_body,omitempty"`
	Agree  string   `json:"agree"`         // yes, no, or the reason that the verdicts cannot be compared
	Why    string   `json:"why,omitempty"` // explanation of a difference, if it was analysed
	Ours   twoCosts `json:"ours"`
	Theirs twoCosts `json:"theirs"`
	// InTurn is the wall-clock time of the proof, in ms, within one command that checks all of them one after the
	// other.
	InTurn spread `json:"in_turn_ms"`
	// Again is the cost of a process with a full cache.
	Again twoCosts `json:"again"`
	// Ratio is the quotient of the medians of wall-clock time, theirs by ours; 0 without a verdict of cbmc. After a
	// timeout it is a lower bound.
	Ratio    float64 `json:"ratio"`
	RatioCPU float64 `json:"ratio_cpu"`
}

type twoCosts struct {
	WallMS   spread `json:"wall_ms"`
	CPUMS    spread `json:"cpu_ms"`
	MemoryMB spread `json:"memory_mb"`
}

func (t *twoCosts) take(c cbmc.Cost) {
	t.WallMS.Samples = append(t.WallMS.Samples, round(c.Wall.Seconds()*1000))
	t.CPUMS.Samples = append(t.CPUMS.Samples, round(c.CPU.Seconds()*1000))
	t.MemoryMB.Samples = append(t.MemoryMB.Samples, round(c.MemoryMB))
	for _, s := range []*spread{&t.WallMS, &t.CPUMS, &t.MemoryMB} {
		s.finish()
	}
}

type cbmcSummary struct {
	Compared    int     `json:"compared"`     // proofs with a verdict of both
	MedianRatio float64 `json:"median_ratio"` // over these, wall-clock time
	WorstRatio  float64 `json:"worst_ratio"`  // the least
	WorstProof  string  `json:"worst_proof,omitempty"`
	MedianCPU   float64 `json:"median_ratio_cpu"`
	// wall-clock time, of CBMC's process by the proof's part of the one command
	MedianTurn  float64 `json:"median_ratio_in_turn"`
	MedianAgain float64 `json:"median_ratio_again"` // wall-clock time
	Timeouts    int     `json:"timeouts"`           // of cbmc; they count with their lower bound
	Unreadable  int     `json:"unreadable"`
	Disagree    int     `json:"disagree"`
	Unexplained int     `json:"unexplained"` // of these; each needs an analysis
}

// cbmcFlags are the flags of cbmc.
type cbmcFlags struct {
	measured
	timeout time.Duration
	page    string
	from    []string
	program string
}

func cbmcCommand(std cli.Streams) *cobra.Command {
	var flags cbmcFlags
	cmd := &cobra.Command{
		Use:   "cbmc [--runs N] [--json FILE] [--page FILE] [FILE.c | DIR]...",
		Short: "Check proofs with unitproof and with an installed cbmc, from start to end, and compare",
		Args:  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := flags.contradiction(); err != nil {
				return err
			}
			if len(flags.from) > 0 {
				return drawCBMC(&flags)
			}
			l, err := cli.Some(flags.project, &flags.engine, args)
			if err != nil {
				return err
			}
			return compareWithCBMC(cmd, std, &flags, l)
		},
	}
	f := cmd.Flags()
	flags.add(f)
	f.StringVar(&flags.program, "program", "",
		"the unitproof `PROGRAM` to measure (default: the one in the folder of this program)")
	f.DurationVar(&flags.timeout, "cbmc-timeout", 2*time.Minute, "how long one call of cbmc may take")
	f.StringVar(&flags.page, "page", "", "write the comparison as a page of Markdown to `FILE`")
	f.StringArrayVar(&flags.from, "from", nil,
		"with --page: take the numbers of a `FILE` that --json wrote instead of measuring (repeatable)")
	return cmd
}

// measuredProgram returns the unitproof to measure: the named one, or the one in the folder of this program.
func measuredProgram(named string) (string, error) {
	if named != "" {
		return filepath.Abs(named)
	}
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("where this program is: %w", err)
	}
	program := filepath.Join(filepath.Dir(self), "unitproof")
	if _, err := os.Stat(program); err != nil {
		return "", fmt.Errorf("no unitproof in the folder of this program; --program names one: %w", err)
	}
	return program, nil
}

// compareWithCBMC checks each proof with a new process of each checker, alternately, without a cache. If cbmc is not
// installed, it prints a message and succeeds.
func compareWithCBMC(cmd *cobra.Command, std cli.Streams, flags *cbmcFlags, l *cli.Listed) error {
	ctx := cmd.Context()
	dir, err := os.MkdirTemp("", "unitproof-cbmc-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	other, err := cbmc.Find(ctx, dir)
	if err != nil {
		if ctx.Err() != nil {
			return cli.ExitCode(cli.ExitInterrupted)
		}
		fmt.Fprintf(std.Err, "unitproof: nothing to compare with: %v\n", err)
		return nil
	}
	program, err := measuredProgram(flags.program)
	if err != nil {
		return err
	}
	unshared := []string{"runs", "json", "page", "from", "program", "cbmc-timeout"}
	pass := forwarded(cmd.Flags(), append(unshared, "filter", "shard")...)
	doc := &cbmcDocument{Schema: 1, Tool: cli.ToolName(), CBMC: other.Version, Date: time.Now().UTC().Format(time.RFC3339),
		Runs: flags.runs,
		CPUs: runtime.NumCPU(), Machine: machine(), Proofs: []cbmcProof{}}
	out := flags.people(std)
	fmt.Fprintf(out, "%s and cbmc %s, %d processors, %s; medians of %d runs from start to end\n\n", doc.Tool, doc.CBMC,
		doc.CPUs, doc.Machine, doc.Runs)
	fmt.Fprintf(out, "%-40s %-9s %-10s %9s %9s %7s %9s %9s %7s %7s %7s\n", "proof", "verdict", "cbmc", "wall ms", "cbmc",
		"ratio", "CPU ms", "cbmc", "ratio", "MB", "cbmc")
	for i := range l.Proofs {
		p := &l.Proofs[i]
		result, err := compareProof(ctx, flags, other, program, append(slices.Clone(pass), p.File), p, dir)
		if err != nil {
			if ctx.Err() != nil {
				return cli.ExitCode(cli.ExitInterrupted)
			}
			return fmt.Errorf("%s: %w", p.Name, err)
		}
		doc.Proofs = append(doc.Proofs, *result)
		result.print(out)
	}
	if err := doc.inTurn(ctx, flags.runs, program, append(forwarded(cmd.Flags(), unshared...), cmd.Flags().Args()...),
		l.Proofs, dir); err != nil {
		if ctx.Err() != nil {
			return cli.ExitCode(cli.ExitInterrupted)
		}
		return err
	}
	doc.summarize()
	doc.print(out)
	if flags.page != "" {
		if err := os.WriteFile(flags.page, []byte(doc.page()), 0o644); err != nil {
			return err
		}
	}
	if out.Err != nil {
		return out.Err
	}
	return flags.write(std, doc)
}

// compareProof measures one proof.
func compareProof(ctx context.Context, flags *cbmcFlags, other *cbmc.CBMC, program string, pass []string,
	p *project.Proof, dir string) (*cbmcProof, error) {
	result := &cbmcProof{Name: p.Name, Agree: noVerdict}
	output := filepath.Join(dir, "result.json")
	args := append([]string{"check", "-q", "-j", "1", "--filter", "^" + regexp.QuoteMeta(p.Name) + "$", "--json", output},
		pass...)
	environ := append(os.Environ(), "XDG_CACHE_HOME="+filepath.Join(dir, "cache"))
	if _, _, err := checkOnce(ctx, program, args, environ, output, p.Timeout); err != nil { // fills the cache
		return nil, err
	}
	var setting *cbmc.Setting
	for run := range flags.runs {
		again, costAgain, err := checkOnce(ctx, program, args, environ, output, p.Timeout)
		if err != nil {
			return nil, err
		}
		result.Again.take(costAgain)
		verdict, cost, err := checkOnce(ctx, program, append(args, "--no-cache"), nil, output, p.Timeout)
		if err != nil {
			return nil, err
		}
		if again != verdict {
			return nil, fmt.Errorf("%s, and %s when asked again", verdict, again)
		}
		if run > 0 && verdict != result.Verdict {
			return nil, fmt.Errorf("sometimes %s and sometimes %s", result.Verdict, verdict)
		}
		result.Verdict = verdict
		result.Ours.take(cost)
		if result.CBMCVerdict == "unreadable" || result.CBMCVerdict == "timeout" {
			continue // another run has the same result
		}
		r, err := other.Run(ctx, p, flags.timeout, setting)
		if err != nil {
			return nil, err
		}
		if run > 0 && r.Verdict != result.CBMCVerdict && r.Verdict != "timeout" {
			return nil, fmt.Errorf("cbmc: sometimes %s and sometimes %s", result.CBMCVerdict, r.Verdict)
		}
		result.CBMCVerdict, result.Reason, result.Unwind, result.Dropped = r.Verdict, r.Reason, r.Unwind, r.Dropped
		if r.Verdict == "unreadable" {
			continue
		}
		setting = &r.Setting
		if r.Output != nil {
			result.NoBody = r.Output.NoBody
		}
		result.Theirs.take(r.Cost)
	}
	if len(result.Theirs.WallMS.Samples) > 0 {
		result.Ratio = round(result.Theirs.WallMS.Median / max(result.Ours.WallMS.Median, 0.001))
		result.RatioCPU = round(result.Theirs.CPUMS.Median / max(result.Ours.CPUMS.Median, 0.001))
	}
	result.judge()
	return result, nil
}

// checkOnce runs unitproof on one proof, like a user.
func checkOnce(ctx context.Context, program string, args, env []string, output string,
	timeout time.Duration) (verdict string, cost cbmc.Cost, err error) {
	proofs, cost, err := checkThese(ctx, program, args, env, output, timeout)
	if err != nil {
		return "", cost, err
	}
	if len(proofs) != 1 {
		return "", cost, fmt.Errorf("check told of %d proofs", len(proofs))
	}
	return proofs[0].Verdict, cost, nil
}

// checked is the part of a proof in the JSON of a check that is used.
type checked struct {
	Name    string `json:"name"`
	Verdict string `json:"verdict"`
	Stats   struct {
		TotalMS float64 `json:"total_ms"`
	} `json:"stats"`
}

// checkThese runs unitproof, which writes its results to the file output.
func checkThese(ctx context.Context, program string, args, env []string, output string,
	timeout time.Duration) ([]checked, cbmc.Cost, error) {
	if err := os.Remove(output); err != nil && !os.IsNotExist(err) {
		return nil, cbmc.Cost{}, err
	}
	_, status, cost, err := cbmc.Measure(ctx, timeout+time.Minute, "", env, program, args...)
	if err != nil {
		return nil, cost, err
	}
	data, err := os.ReadFile(output)
	if err != nil {
		return nil, cost, fmt.Errorf("check ended with status %d: %w", status, err)
	}
	var doc struct {
		Proofs []checked `json:"proofs"`
	}
	err = json.Unmarshal(data, &doc)
	return doc.Proofs, cost, err
}

// inTurn measures one command that checks all the proofs, one after the other, without a cache.
func (d *cbmcDocument) inTurn(ctx context.Context, runs int, program string, pass []string, proofs []project.Proof,
	dir string) error {
	output := filepath.Join(dir, "result.json")
	args := append([]string{"check", "--no-cache", "-q", "-j", "1", "--json", output}, pass...)
	var limit time.Duration
	for i := range proofs {
		limit += proofs[i].Timeout
	}
	for range runs {
		all, cost, err := checkThese(ctx, program, args, nil, output, limit)
		if err != nil {
			return err
		}
		d.Whole.take(cost)
		for _, c := range all {
			i := slices.IndexFunc(d.Proofs, func(p cbmcProof) bool { return p.Name == c.Name })
			if i < 0 {
				continue // another proof of a named file
			}
			p := &d.Proofs[i]
			if p.Verdict != c.Verdict {
				return fmt.Errorf("%s: %s alone, and %s among the others", p.Name, p.Verdict, c.Verdict)
			}
			p.InTurn.Samples = append(p.InTurn.Samples, c.Stats.TotalMS)
			p.InTurn.finish()
		}
	}
	return nil
}

// noVerdict is used if cbmc could not read a proof or did not end.
const noVerdict = "cbmc has no verdict"

// judge compares the verdicts.
func (p *cbmcProof) judge() {
	p.Agree = agree(p.Verdict, p.CBMCVerdict)
	if p.Agree != "no" {
		return
	}
	if p.Why = cbmc.Explain(p.Name, p.Verdict, p.CBMCVerdict); p.Why == "" && len(p.NoBody) > 0 {
		p.Agree = "cbmc has no body of " + strings.Join(p.NoBody, ", ")
	}
}

// agree compares verdicts. CBMC does not check for vacuity: a vacuous proof holds for CBMC.
func agree(ours, theirs string) string {
	switch {
	case theirs == "unreadable" || theirs == "timeout":
		return noVerdict
	case ours == "unknown" || ours == "error":
		return "we have no verdict"
	case ours == theirs, ours == "vacuous" && theirs == "proved":
		return "yes"
	case ours == "proved" && theirs == "bounded", ours == "bounded" && theirs == "proved":
		return "bounds differ"
	}
	return "no"
}

func (p *cbmcProof) print(out io.Writer) {
	theirs := func(s *spread) string {
		if len(s.Samples) == 0 {
			return "-"
		}
		return number(s.Median)
	}
	ratio := func(x float64) string {
		switch {
		case x == 0:
			return "-"
		case p.CBMCVerdict == "timeout":
			return ">" + quotient(x)
		}
		return quotient(x)
	}
	fmt.Fprintf(out, "%-40s %-9s %-10s %9s %9s %7s %9s %9s %7s %7s %7s", p.Name, p.Verdict, p.CBMCVerdict,
		number(p.Ours.WallMS.Median), theirs(&p.Theirs.WallMS), ratio(p.Ratio),
		number(p.Ours.CPUMS.Median), theirs(&p.Theirs.CPUMS), ratio(p.RatioCPU), number(p.Ours.MemoryMB.Median),
		theirs(&p.Theirs.MemoryMB))
	switch {
	case p.Agree == "no" && p.Why == "":
		fmt.Fprint(out, "  VERDICTS DIFFER, for an unknown reason")
	case p.Agree == "no":
		fmt.Fprintf(out, "  verdicts differ: %s", p.Why)
	case p.Agree != "yes" && p.Agree != noVerdict:
		fmt.Fprintf(out, "  %s", p.Agree)
	}
	fmt.Fprintln(out)
	if p.Reason != "" {
		first, _, _ := strings.Cut(p.Reason, "\n")
		fmt.Fprintf(out, "    cbmc: %s\n", first)
	}
}

// counts reports whether the costs of a proof are comparable: both have a verdict, or CBMC reached its limit.
func (p *cbmcProof) counts() bool {
	return p.CBMCVerdict != "unreadable" && p.Verdict != "error" && p.Verdict != "unknown"
}

// summarize computes the counts and the medians of the ratios.
func (d *cbmcDocument) summarize() {
	d.Summary = cbmcSummary{}
	s := &d.Summary
	s.WorstRatio = math.Inf(1)
	var ratios, cpus, turns, agains []float64
	for i := range d.Proofs {
		p := &d.Proofs[i]
		if p.Agree == "no" {
			s.Disagree++
			if p.Why == "" {
				s.Unexplained++
			}
		}
		switch p.CBMCVerdict {
		case "unreadable":
			s.Unreadable++
		case "timeout":
			s.Timeouts++
		}
		if !p.counts() {
			continue
		}
		s.Compared++
		ratios, cpus = append(ratios, p.Ratio), append(cpus, p.RatioCPU)
		turns, agains = append(turns, p.ratioTo(&p.InTurn)), append(agains, p.ratioTo(&p.Again.WallMS))
		if p.Ratio < s.WorstRatio {
			s.WorstRatio, s.WorstProof = p.Ratio, p.Name
		}
	}
	if s.Compared == 0 {
		s.WorstRatio = 0
	}
	s.MedianRatio, s.MedianCPU = round(median(ratios)), round(median(cpus))
	s.MedianTurn, s.MedianAgain = round(median(turns)), round(median(agains))
}

// ratioTo returns the quotient of the medians of CBMC's wall-clock time and of ours, in ms. Ours counts as at least 1
// ms.
func (p *cbmcProof) ratioTo(ours *spread) float64 {
	return round(p.Theirs.WallMS.Median / max(ours.Median, 1))
}

func (d *cbmcDocument) print(out io.Writer) {
	s := &d.Summary
	fmt.Fprintf(out, "\n%d of %d proofs compared; ratio cbmc / unitproof: median %.2f, worst %.2f (%s); of CPU time: "+
		"median %.2f\n", s.Compared, len(d.Proofs), s.MedianRatio, s.WorstRatio,
		s.WorstProof, s.MedianCPU)
	fmt.Fprintf(out, "median ratio of wall clock where one command checks all: %.2f; where nothing has changed since "+
		"an earlier check: %.2f\n", s.MedianTurn, s.MedianAgain)
	fmt.Fprintf(out, "%d that cbmc does not read, %d timeouts of cbmc, %d different verdicts, %d of them unexplained\n",
		s.Unreadable, s.Timeouts, s.Disagree, s.Unexplained)
}
