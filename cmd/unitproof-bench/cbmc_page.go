package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
)

// drawCBMC writes the page from documents of earlier calls. Machine, versions and runs are those of the first
// document; a proof in several documents is taken from the last.
func drawCBMC(flags *cbmcFlags) error {
	if flags.page == "" {
		return errors.New("--from: say with --page where the page goes")
	}
	var doc *cbmcDocument
	for _, name := range flags.from {
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		d := &cbmcDocument{}
		if err := json.Unmarshal(data, d); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if d.Schema != 1 || d.CBMC == "" {
			return fmt.Errorf("%s: not written by cbmc --json", name)
		}
		if doc == nil {
			doc = d
			continue
		}
		if d.CBMC != doc.CBMC || d.Machine != doc.Machine {
			return fmt.Errorf("%s: cbmc %s on %s, but %s has cbmc %s on %s: these are two pages", name, d.CBMC, d.Machine,
				flags.from[0], doc.CBMC, doc.Machine)
		}
		for _, p := range d.Proofs {
			doc.Proofs = slices.DeleteFunc(doc.Proofs, func(q cbmcProof) bool { return q.Name == p.Name })
			doc.Proofs = append(doc.Proofs, p)
		}
	}
	for i := range doc.Proofs {
		doc.Proofs[i].judge()
	}
	doc.summarize()
	return os.WriteFile(flags.page, []byte(doc.page()), 0o644)
}

// page returns the comparison in Markdown.
func (d *cbmcDocument) page() string {
	var b strings.Builder
	b.WriteString("# Side by side with CBMC\n\nWritten by `make bench-cbmc`; docs/benchmarks.md describes the method " +
		"and its limits. ")
	fmt.Fprintf(&b, "%s and CBMC %s on %s with %d processors, %s: medians of %d runs, each a fresh process from its "+
		"start to its end, nothing kept.\n\n",
		d.Tool, d.CBMC, d.Machine, d.CPUs, strings.SplitN(d.Date, "T", 2)[0], d.Runs)
	s := &d.Summary
	fmt.Fprintf(&b, "%d proofs; CBMC does not read %d of them. %d were compared; on %d of them CBMC did not come to "+
		"an end, and its time until then counts. ",
		len(d.Proofs), s.Unreadable, s.Compared, s.Timeouts)
	fmt.Fprintf(&b, "%d verdicts differ, %d of them unexplained.\n\n", s.Disagree, s.Unexplained)
	b.WriteString("Ratios are CBMC's time by unitproof's: above 1 unitproof is faster.\n\n")
	d.distribution(&b)
	d.otherWays(&b)
	d.slower(&b)
	d.different(&b)
	d.everything(&b)
	return b.String()
}

// compared returns the proofs with comparable costs.
func (d *cbmcDocument) compared() []*cbmcProof {
	var out []*cbmcProof
	for i := range d.Proofs {
		if d.Proofs[i].counts() {
			out = append(out, &d.Proofs[i])
		}
	}
	return out
}

// distribution writes the ratios, in total and by CBMC's time. For small proofs, process start and reading of headers
// dominate.
func (d *cbmcDocument) distribution(b *strings.Builder) {
	b.WriteString("| proofs that take CBMC | number | CPU time: least | quarter | median | quarter | most | wall " +
		"clock: least | median | most |\n|---|---|---|---|---|---|---|---|---|---|\n")
	row := func(name string, within func(ms float64) bool) {
		var cpu, wall []float64
		for _, p := range d.compared() {
			if within(p.Theirs.CPUMS.Median) {
				cpu, wall = append(cpu, p.RatioCPU), append(wall, p.Ratio)
			}
		}
		if len(cpu) == 0 {
			return
		}
		slices.Sort(cpu)
		slices.Sort(wall)
		at := func(xs []float64, share float64) string { return quotient(xs[int(share*float64(len(xs)-1)+0.5)]) }
		fmt.Fprintf(b, "| %s | %d | %s | %s | %s | %s | %s | %s | %s | %s |\n", name, len(cpu), at(cpu, 0), at(cpu, 0.25),
			quotient(median(cpu)), at(cpu, 0.75), at(cpu, 1),
			at(wall, 0), quotient(median(wall)), at(wall, 1))
	}
	row("any time", func(float64) bool { return true })
	row("less than 0.1 s of CPU time", func(ms float64) bool { return ms < 100 })
	row("0.1 s to 0.3 s", func(ms float64) bool { return ms >= 100 && ms < 300 })
	row("0.3 s and more", func(ms float64) bool { return ms >= 300 })
}

// otherWays writes the ratios if there is not one process for each proof, or if the cache is full.
func (d *cbmcDocument) otherWays(b *strings.Builder) {
	if len(d.Whole.WallMS.Samples) == 0 {
		return // numbers of an earlier version
	}
	b.WriteString("\nThe same proofs when they are asked for in other ways. CBMC has a process for each, as above; " +
		"ratios are of wall clock.\n\n" +
		"| unitproof | least | quarter | median | quarter | most |\n|---|---|---|---|---|---|\n")
	row := func(name string, of func(p *cbmcProof) float64) {
		var all []float64
		for _, p := range d.compared() {
			all = append(all, of(p))
		}
		if len(all) == 0 {
			return
		}
		slices.Sort(all)
		at := func(share float64) string { return quotient(all[int(share*float64(len(all)-1)+0.5)]) }
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s |\n", name, at(0), at(0.25), quotient(median(all)), at(0.75), at(1))
	}
	row("one command checks all, one after the other, nothing kept from earlier runs",
		func(p *cbmcProof) float64 { return p.ratioTo(&p.InTurn) })
	row("a process for each, nothing has changed since an earlier check",
		func(p *cbmcProof) float64 { return p.ratioTo(&p.Again.WallMS) })
	var theirs float64
	n := 0
	for _, p := range d.compared() {
		if p.CBMCVerdict != "timeout" {
			theirs += p.Theirs.WallMS.Median / 1000
			n++
		}
	}
	fmt.Fprintf(b, "\nThe one command takes %.1f s (%.1f s of CPU time) for all %d proofs; CBMC's processes take %.1f "+
		"s for the %d on which it comes to an end.\n",
		d.Whole.WallMS.Median/1000, d.Whole.CPUMS.Median/1000, len(d.Proofs), theirs, n)
}

// slower lists the proofs on which unitproof takes more than twice CBMC's CPU or wall-clock time.
func (d *cbmcDocument) slower(b *strings.Builder) {
	b.WriteString("\n## Where unitproof takes more than twice as long\n\n")
	var out []string
	for _, p := range d.compared() {
		if p.CBMCVerdict != "timeout" && (p.Ratio < 0.5 || p.RatioCPU < 0.5) {
			out = append(out, fmt.Sprintf("| `%s` | %s | %s | %s | %s | %s | %s |", p.Name, number(p.Ours.CPUMS.Median),
				number(p.Theirs.CPUMS.Median), quotient(p.RatioCPU),
				number(p.Ours.WallMS.Median), number(p.Theirs.WallMS.Median), quotient(p.Ratio)))
		}
	}
	if len(out) == 0 {
		b.WriteString("Nowhere.\n")
		return
	}
	b.WriteString("| proof | CPU ms | CBMC | ratio | wall ms | CBMC | ratio |\n|---|---|---|---|---|---|---|\n" +
		strings.Join(out, "\n") + "\n")
}

// different lists the verdicts that differ.
func (d *cbmcDocument) different(b *strings.Builder) {
	b.WriteString("\n## Verdicts that differ\n\n| proof | unitproof | CBMC | why |\n|---|---|---|---|\n")
	for i := range d.Proofs {
		p := &d.Proofs[i]
		why := p.Why
		switch {
		case p.Agree == "yes" || p.Agree == noVerdict:
			continue
		case why == "" && p.Agree != "no":
			why = p.Agree
		case why == "":
			why = "**not examined**"
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", p.Name, p.Verdict, p.CBMCVerdict, why)
	}
	b.WriteString("\nWhat CBMC does not read:\n\n")
	for i := range d.Proofs {
		if p := &d.Proofs[i]; p.CBMCVerdict == "unreadable" {
			first, _, _ := strings.Cut(p.Reason, "\n")
			fmt.Fprintf(b, "- `%s`: %s\n", p.Name, relative(first))
		}
	}
}

// everything lists all compared proofs.
func (d *cbmcDocument) everything(b *strings.Builder) {
	b.WriteString("\n## All that were compared\n\n| proof | unitproof | CBMC | CPU ms | CBMC | ratio | wall ms | CBMC " +
		"| ratio |\n|---|---|---|---|---|---|---|---|---|\n")
	for _, p := range d.compared() {
		more := ""
		if p.CBMCVerdict == "timeout" {
			more = "> "
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s | %s | %s%s | %s | %s | %s%s |\n", p.Name, p.Verdict, p.CBMCVerdict,
			number(p.Ours.CPUMS.Median), number(p.Theirs.CPUMS.Median), more,
			quotient(p.RatioCPU), number(p.Ours.WallMS.Median), number(p.Theirs.WallMS.Median), more, quotient(p.Ratio))
	}
}

// quotient formats a ratio.
func quotient(x float64) string {
	if x < 10 {
		return fmt.Sprintf("%.2f", x)
	}
	return fmt.Sprintf("%.0f", x)
}

// relative reduces absolute paths in a message to their last part, since they are another machine's.
func relative(message string) string {
	words := strings.Fields(message)
	for i, w := range words {
		if strings.HasPrefix(w, "/") {
			words[i] = w[strings.LastIndex(w, "/")+1:]
		}
	}
	return strings.Join(words, " ")
}
