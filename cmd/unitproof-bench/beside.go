package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/unitproof/unitproof/cmd/unitproof-bench/cbmc"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/kit"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen/found"
)

// corpusCBMC is CBMC's result for a proof, by the rules of its kit.
type corpusCBMC struct {
	Verdict  string   `json:"verdict"` // proved, bounded, failed, timeout, unreadable
	Reason   string   `json:"reason,omitempty"`
	CPUMS    int64    `json:"cpu_ms"` // including goto-cc and goto-instrument
	MemoryMB int64    `json:"memory_mb"`
	Failed   []string `json:"failed,omitempty"`
	NoBody   []string `json:"no_body,omitempty"` // called functions without a body, each a failed property
}

// besideCBMC compares with an installed CBMC.
type besideCBMC struct {
	kits    *cbmc.Kits
	dir     string // temporary
	program string
	args    []string // of check
}

func findBeside(cmd *cobra.Command, flags *corpusFlags) (*besideCBMC, error) {
	program, err := measuredProgram(flags.program)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "unitproof-corpus-")
	if err != nil {
		return nil, err
	}
	kits, err := cbmc.FindKits(cmd.Context(), dir)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	own := []string{"jobs", "json", "verbose", "bugs", "cbmc", "cbmc-timeout", "program", "filter", "shard"}
	args := append([]string{"check", "-q", "--json", filepath.Join(dir, "result.json")}, forwarded(cmd.Flags(), own...)...)
	return &besideCBMC{kits, dir, program, args}, nil
}

// checks runs unitproof check on proofs of a project, with its own cache folder and jobs parallel proofs (0: the
// default).
func (b *besideCBMC) checks(ctx context.Context, store string, jobs int, proofs []*project.Proof) ([]checked, cbmc.Cost,
	error) {
	args := slices.Clone(b.args)
	if jobs > 0 {
		args = append(args, "-j", strconv.Itoa(jobs))
	}
	var names, files []string
	var limit time.Duration
	for _, p := range proofs {
		names, files = append(names, regexp.QuoteMeta(p.Name)), append(files, p.File)
		limit += 4 * p.Timeout // a proof's limit is CPU time, which takes longer on a busy machine
	}
	args = append(append(args, "--filter", "^("+strings.Join(names, "|")+")$"), files...)
	output := filepath.Join(b.dir, "result.json")
	return checkThese(ctx, b.program, args, []string{"XDG_CACHE_HOME=" + store}, output, limit)
}

// compare runs a sample of the project's proofs with both checkers. The cache is empty at first; unitproof compiles a
// file only once if two proofs compile it in the same way, whereas a kit's rules share nothing.
func (r *corpusRun) compare(other *besideCBMC) error {
	store, err := os.MkdirTemp(other.dir, "cache-")
	if err != nil {
		return err
	}
	var both []*project.Proof
	n := min(r.flags.cbmc, len(r.proofs))
	for i := range n {
		p := &r.proofs[(2*i+1)*len(r.proofs)/(2*n)]
		verdict := string(found.Unknown)
		proofs, cost, err := other.checks(r.ctx, store, 1, []*project.Proof{p})
		switch {
		case errors.Is(err, cbmc.ErrTimeout):
		case err != nil:
			return fmt.Errorf("%s: %w", p.Name, err)
		case len(proofs) != 1:
			return fmt.Errorf("%s: check told of %d proofs", p.Name, len(proofs))
		default:
			verdict = proofs[0].Verdict
		}
		one := corpusProof{Name: p.Name, Verdict: found.Verdict(verdict), MS: cost.Wall.Milliseconds(),
			CPUMS: cost.CPU.Milliseconds(), MemoryMB: int64(cost.MemoryMB)}
		if one.CBMC, err = r.ask(other, p.Name); err != nil {
			return err
		}
		r.result.Counts[one.Verdict]++
		r.result.Proofs = append(r.result.Proofs, one)
		fmt.Fprintf(r.std.Err, "  %s: %s %.1f s %d MB, cbmc %s %.1f s %d MB%s\n", p.Name, verdict, seconds(one.CPUMS),
			one.MemoryMB, one.CBMC.Verdict, seconds(one.CBMC.CPUMS), one.CBMC.MemoryMB, one.CBMC.why())
		if one.decided() {
			both = append(both, p)
		}
	}
	return r.together(other, both)
}

// together runs all proofs that both decided in one check with an empty cache, as a user of the project does.
func (r *corpusRun) together(other *besideCBMC, both []*project.Proof) error {
	if len(both) == 0 {
		return nil
	}
	store, err := os.MkdirTemp(other.dir, "cache-")
	if err != nil {
		return err
	}
	checks, cost, err := other.checks(r.ctx, store, r.flags.jobs, both)
	switch {
	case errors.Is(err, cbmc.ErrTimeout): // the results of each stay
		fmt.Fprintf(r.std.Err, "  all in one check: %v\n", err)
		return nil
	case err != nil:
		return fmt.Errorf("all in one check: %w", err)
	}
	if len(checks) != len(both) {
		return fmt.Errorf("all in one check: it told of %d proofs instead of %d", len(checks), len(both))
	}
	r.result.CheckCPUMS = cost.CPU.Milliseconds()
	return nil
}

// ask runs CBMC on a proof, by the rules of its kit.
func (r *corpusRun) ask(other *besideCBMC, name string) (*corpusCBMC, error) {
	at := slices.IndexFunc(r.kits.Proofs, func(p kit.Proof) bool { return p.Name == name })
	if at < 0 {
		return nil, fmt.Errorf("%s is not a proof of the kit", name)
	}
	result, err := other.kits.Run(r.ctx, r.kits.Proofs[at].Dir, r.flags.limit)
	if err != nil {
		return nil, err
	}
	c := &corpusCBMC{Verdict: result.Verdict, Reason: result.Reason, CPUMS: result.Cost.CPU.Milliseconds(),
		MemoryMB: int64(result.Cost.MemoryMB)}
	if result.Output != nil {
		for _, p := range result.Output.Failed {
			c.Failed = append(c.Failed, p.String())
		}
		c.NoBody = result.Output.NoBody
	}
	return c, nil
}

// why returns the reason that CBMC did not prove it, for the text output.
func (c *corpusCBMC) why() string {
	if c == nil {
		return ""
	}
	text := c.Reason
	if len(c.Failed) > 0 {
		text = c.Failed[0]
	}
	if text == "" {
		return ""
	}
	return ": " + text
}

func seconds(ms int64) float64 { return float64(ms) / 1000 }

// printBeside prints the costs of the proofs that both decided, and the verdicts that differ.
func printBeside(w io.Writer, list []corpusProject) {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	defer func() { _ = t.Flush() }()
	fmt.Fprintln(t, "project\tproofs\tboth\tcbmc\tunitproof\tfactor\tone check\tfactor\tcbmc memory\tunitproof memory")
	type totals struct {
		proofs, both                       int
		theirs, ours, once, theirMB, ourMB int64 // ms of CPU, largest MB
	}
	line := func(name string, n totals) {
		against := func(ours int64) string {
			if ours == 0 {
				return "-\t-" // nothing was measured
			}
			return fmt.Sprintf("%.0f s\t%.1f", seconds(ours), float64(n.theirs)/float64(ours))
		}
		fmt.Fprintf(t, "%s\t%d\t%d\t%.0f s\t%s\t%s\t%d MB\t%d MB\n", name, n.proofs, n.both, seconds(n.theirs),
			against(n.ours), against(n.once), n.theirMB, n.ourMB)
	}
	var all totals
	complete := true // each project had its one check
	var differ []string
	for i := range list {
		p := &list[i]
		n := totals{proofs: len(p.Proofs), once: p.CheckCPUMS}
		for j := range p.Proofs {
			one := &p.Proofs[j]
			if agree(string(one.Verdict), one.CBMC.Verdict) == "no" {
				differ = append(differ, fmt.Sprintf("%s %s: %s, cbmc %s%s", p.Name, one.Name, one.Verdict, one.CBMC.Verdict,
					one.CBMC.why()))
			}
			if !one.decided() {
				continue
			}
			n.both, n.theirs, n.ours = n.both+1, n.theirs+one.CBMC.CPUMS, n.ours+one.CPUMS
			n.theirMB, n.ourMB = max(n.theirMB, one.CBMC.MemoryMB), max(n.ourMB, one.MemoryMB)
		}
		line(p.Name, n)
		all.proofs, all.both, all.once = all.proofs+n.proofs, all.both+n.both, all.once+n.once
		complete = complete && (n.both == 0 || n.once > 0)
		all.theirs, all.ours = all.theirs+n.theirs, all.ours+n.ours
		all.theirMB, all.ourMB = max(all.theirMB, n.theirMB), max(all.ourMB, n.ourMB)
	}
	if !complete {
		all.once = 0 // only some of them
	}
	line("all", all)
	for _, d := range differ {
		fmt.Fprintf(t, "differ: %s\n", d)
	}
}

// decided reports whether both checkers decided the whole proof.
func (p *corpusProof) decided() bool {
	return slices.Contains([]found.Verdict{found.Proved, found.Failed, found.Vacuous}, p.Verdict) &&
		slices.Contains([]string{"proved", "failed", "bounded"}, p.CBMC.Verdict)
}

// plant checks the project with one bug after the other.
func (r *corpusRun) plant(l *library, other *besideCBMC) error {
	at := func(revision string) string { // "" if there is none
		out, _ := exec.CommandContext(r.ctx, "git", "-C", r.dir, "rev-parse", "--verify", "-q", revision+"^{commit}").Output()
		return strings.TrimSpace(string(out))
	}
	if head := at("HEAD"); head == "" || head != at(l.Commit) {
		return fmt.Errorf("the bugs are for %s, and the clone is at %s", l.Commit, head)
	}
	pool := pipeline.NewPool(pipeline.PoolOptions{Jobs: 1})
	defer pool.Close()
	h := hunt{r.ctx, pool, &r.flags.engine, map[string]map[string]bool{}}
	for i := range l.Bug {
		b := &l.Bug[i]
		at := slices.IndexFunc(r.proofs, func(p project.Proof) bool { return p.Name == b.Proof })
		if at < 0 {
			return fmt.Errorf("there is no proof %s", b.Proof)
		}
		if h.known[b.Proof] == nil {
			if _, err := h.check(r.workspace, r.proofs[at], b.Proof, false); err != nil {
				return err
			}
		}
		one := corpusProof{Name: b.Proof, Bug: b.String()}
		err := b.during(r.dir, func() error { return r.hunt(&h, b, &r.proofs[at], &one, other) })
		if err = errors.Join(err, r.remake(b, &r.proofs[at])); err != nil {
			return fmt.Errorf("%s: %w", b, err)
		}
		r.result.Counts[one.Verdict]++
		r.result.Proofs = append(r.result.Proofs, one)
		fmt.Fprintf(r.std.Err, "  %s\n", one.outcome())
	}
	return nil
}

// hunt checks the proof that should detect a bug, while the bug is planted.
func (r *corpusRun) hunt(h *hunt, b *plantedBug, p *project.Proof, one *corpusProof, other *besideCBMC) error {
	if err := r.remake(b, p); err != nil {
		return err
	}
	o, err := h.check(r.workspace, *p, b.Proof, true)
	if err != nil {
		return err
	}
	one.Verdict, one.MS, one.MemoryMB, one.Why = o.Verdict, o.MS, o.MemoryMB, o.Why
	one.FoundMS, one.Kind = o.FoundMS, o.Kind
	if other != nil {
		one.CBMC, err = r.ask(other, b.Proof)
	}
	return err
}

// remake runs the rules of the kit for generated files that depend on the file of a bug, if the proof uses them.
func (r *corpusRun) remake(b *plantedBug, p *project.Proof) error {
	path := filepath.Join(r.dir, filepath.FromSlash(b.File))
	if !slices.ContainsFunc(p.Sources, func(u project.Unit) bool {
		return u.File != path && filepath.Base(u.File) == filepath.Base(path)
	}) {
		return nil
	}
	_, err := kit.Import(r.ctx, r.dir)
	return err
}

// outcome returns the outcome of a planted bug, for the text output.
func (p *corpusProof) outcome() string {
	text := fmt.Sprintf("%s\t%s\t", p.Name, p.Bug)
	if p.FoundMS > 0 {
		text += fmt.Sprintf("found\t%.1f s\t%s", seconds(p.FoundMS), p.Kind)
	} else {
		text += fmt.Sprintf("not found\t%.1f s\t%s", seconds(p.MS), string(p.Verdict)+": "+p.Why)
	}
	if p.CBMC != nil {
		text += fmt.Sprintf("\tcbmc %s%s", p.CBMC.Verdict, p.CBMC.why())
	}
	return text
}

// printBugs prints the outcome of each bug.
func printBugs(w io.Writer, list []corpusProject) {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	defer func() { _ = t.Flush() }()
	for i := range list {
		p, bugs := &list[i], 0
		for j := range p.Proofs {
			if p.Proofs[j].FoundMS > 0 {
				bugs++
			}
			fmt.Fprintf(t, "%s\t%s\n", p.Name, p.Proofs[j].outcome())
		}
		fmt.Fprintf(t, "%s: %d of %d bugs found\n", p.Name, bugs, len(p.Proofs))
	}
}
