package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/unitproof/unitproof/cmd/unitproof-bench/cbmc"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/kit"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen/found"
)

// corpusCBMC is what CBMC said of a proof by the rules of its kit.
type corpusCBMC struct {
	Verdict  string   `json:"verdict"` // proved, bounded, failed, timeout, unreadable
	Reason   string   `json:"reason,omitempty"`
	CPUMS    int64    `json:"cpu_ms"` // with goto-cc's and goto-instrument's
	MemoryMB int64    `json:"memory_mb"`
	Failed   []string `json:"failed,omitempty"`
	NoBody   []string `json:"no_body,omitempty"` // functions without one, each a failed property
}

// besideCBMC compares with an installed CBMC.
type besideCBMC struct {
	kits    *cbmc.Kits
	dir     string // temporary
	program string
	args    []string // of check, for each proof
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
	args := append([]string{"check", "-q", "-j", "1", "--json", filepath.Join(dir, "result.json")},
		forwarded(cmd.Flags(), own...)...)
	return &besideCBMC{kits, dir, program, args}, nil
}

// compare does some proofs of the project with both. Nothing of the project is known at first, and a file that two
// proofs compile in the same way is compiled once; a kit's rules share nothing.
func (r *corpusRun) compare(other *besideCBMC) error {
	store, err := os.MkdirTemp(other.dir, "cache-")
	if err != nil {
		return err
	}
	env := []string{"XDG_CACHE_HOME=" + store}
	n := min(r.flags.cbmc, len(r.proofs))
	for i := range n {
		p := &r.proofs[(2*i+1)*len(r.proofs)/(2*n)]
		args := append(slices.Clone(other.args), "--filter", "^"+regexp.QuoteMeta(p.Name)+"$", p.File)
		// The proof's own limit is of CPU time, which a busy machine gives it later.
		verdict, cost, err := checkOnce(r.ctx, other.program, args, env, filepath.Join(other.dir, "result.json"),
			4*p.Timeout)
		switch {
		case errors.Is(err, cbmc.ErrTimeout):
			verdict = string(found.Unknown)
		case err != nil:
			return fmt.Errorf("%s: %w", p.Name, err)
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
	}
	return nil
}

// ask has CBMC do a proof by the rules of its kit.
func (r *corpusRun) ask(other *besideCBMC, name string) (*corpusCBMC, error) {
	at := slices.IndexFunc(r.kits.Proofs, func(p kit.Proof) bool { return p.Name == name })
	if at < 0 {
		return nil, fmt.Errorf("%s is no proof of the kit", name)
	}
	told, err := other.kits.Run(r.ctx, r.kits.Proofs[at].Dir, r.flags.limit)
	if err != nil {
		return nil, err
	}
	c := &corpusCBMC{Verdict: told.Verdict, Reason: told.Reason, CPUMS: told.Cost.CPU.Milliseconds(),
		MemoryMB: int64(told.Cost.MemoryMB)}
	if told.Output != nil {
		for _, p := range told.Output.Failed {
			c.Failed = append(c.Failed, p.String())
		}
		c.NoBody = told.Output.NoBody
	}
	return c, nil
}

// why is why CBMC did not prove it, for people.
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

// printBeside prints what the proofs that both decided took, and where the verdicts differ.
func printBeside(w io.Writer, list []corpusProject) {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	defer func() { _ = t.Flush() }()
	fmt.Fprintln(t, "project\tproofs\tboth\tcbmc\tunitproof\tfactor\tcbmc memory\tunitproof memory")
	line := func(name string, proofs, both int, theirs, ours, theirMB, ourMB int64) {
		fmt.Fprintf(t, "%s\t%d\t%d\t%.0f s\t%.0f s\t%.1f\t%d MB\t%d MB\n", name, proofs, both, seconds(theirs),
			seconds(ours), float64(theirs)/float64(max(ours, 1)), theirMB, ourMB)
	}
	var all struct {
		proofs, both                 int
		theirs, ours, theirMB, ourMB int64
	}
	var differ []string
	for i := range list {
		p := &list[i]
		both, theirs, ours, theirMB, ourMB := 0, int64(0), int64(0), int64(0), int64(0)
		for j := range p.Proofs {
			one := &p.Proofs[j]
			if agree(string(one.Verdict), one.CBMC.Verdict) == "no" {
				differ = append(differ, fmt.Sprintf("%s %s: %s, cbmc %s%s", p.Name, one.Name, one.Verdict, one.CBMC.Verdict,
					one.CBMC.why()))
			}
			if !one.decided() {
				continue
			}
			both, theirs, ours = both+1, theirs+one.CBMC.CPUMS, ours+one.CPUMS
			theirMB, ourMB = max(theirMB, one.CBMC.MemoryMB), max(ourMB, one.MemoryMB)
		}
		line(p.Name, len(p.Proofs), both, theirs, ours, theirMB, ourMB)
		all.proofs, all.both, all.theirs, all.ours = all.proofs+len(p.Proofs), all.both+both, all.theirs+theirs, all.ours+ours
		all.theirMB, all.ourMB = max(all.theirMB, theirMB), max(all.ourMB, ourMB)
	}
	line("all", all.proofs, all.both, all.theirs, all.ours, all.theirMB, all.ourMB)
	for _, d := range differ {
		fmt.Fprintf(t, "differ: %s\n", d)
	}
}

// decided tells whether both came to a verdict on all of the proof.
func (p *corpusProof) decided() bool {
	return slices.Contains([]found.Verdict{found.Proved, found.Failed, found.Vacuous}, p.Verdict) &&
		slices.Contains([]string{"proved", "failed", "bounded"}, p.CBMC.Verdict)
}

// plant checks the project with one bug after the other.
func (r *corpusRun) plant(l *library, other *besideCBMC) error {
	at := func(revision string) string { // "": there is none
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
		fmt.Fprintf(r.std.Err, "  %s\n", one.told())
	}
	return nil
}

// hunt checks the proof that is to find a bug, while it is there.
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

// remake has the rules of the kit make anew what they make of the file of a bug, for a proof that has it from them.
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

// told is the outcome of a planted bug, for people.
func (p *corpusProof) told() string {
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

// printBugs prints what became of each bug.
func printBugs(w io.Writer, list []corpusProject) {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	defer func() { _ = t.Flush() }()
	for i := range list {
		p, bugs := &list[i], 0
		for j := range p.Proofs {
			if p.Proofs[j].FoundMS > 0 {
				bugs++
			}
			fmt.Fprintf(t, "%s\t%s\n", p.Name, p.Proofs[j].told())
		}
		fmt.Fprintf(t, "%s: %d of %d bugs found\n", p.Name, bugs, len(p.Proofs))
	}
}
